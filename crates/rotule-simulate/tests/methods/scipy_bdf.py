"""Writes scipy_bdf.csv: scipy's BDF on the problems of backward.rs, with references of high accuracy.

    pip install scipy==1.17.1
    python scipy_bdf.py > scipy_bdf.csv

A row has a problem, tolerances, what scipy did (accepted steps, evaluations, Jacobians, factorisations), its error at the end
in units of the tolerances, and the states of the reference: scipy's Radau, which backward.rs checks by our own methods.
Evaluations are without those for differences, which scipy does not count.
"""

from math import cos, sin

import numpy as np
import scipy
from scipy.integrate import solve_ivp

TOLERANCES = [(1e-4, 1e-6), (1e-6, 1e-9), (1e-9, 1e-12)]

MOON = 0.012277471


def arenstorf(t, y):
    near = ((y[0] + MOON) ** 2 + y[1] ** 2) ** 1.5
    far = ((y[0] - 1 + MOON) ** 2 + y[1] ** 2) ** 1.5
    return [
        y[2],
        y[3],
        y[0] + 2 * y[3] - (1 - MOON) * (y[0] + MOON) / near - MOON * (y[0] - 1 + MOON) / far,
        y[1] - 2 * y[2] - (1 - MOON) * y[1] / near - MOON * y[1] / far,
    ]


def hires(t, y):
    gain = 280 * y[5] * y[7]
    last = gain - 1.81 * y[6]
    return [
        -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007,
        1.71 * y[0] - 8.75 * y[1],
        -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4],
        8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
        -1.745 * y[4] + 0.43 * (y[5] + y[6]),
        -gain + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6],
        last,
        -last,
    ]


def robertson(t, y):
    slow, back, fast = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return [back - slow, slow - back - fast, fast]


def kepler(t, y):
    cube = (y[0] ** 2 + y[1] ** 2) ** 1.5
    return [y[2], y[3], -y[0] / cube, -y[1] / cube]


PROBLEMS = {
    "uniform": (lambda t, y: [y[1], 0.0], [0, 3], 100),
    "accelerated": (lambda t, y: [y[1], 1.1], [0, 3], 100),
    "decay": (lambda t, y: [-y[0]], [1], 20),
    "fast decay": (lambda t, y: [-1e3 * y[0]], [1], 10),
    "growth": (lambda t, y: [0.5 * y[0]], [1], 20),
    "logistic": (lambda t, y: [y[0] * (1 - y[0])], [0.01], 20),
    "forced": (lambda t, y: [sin(t) - 2 * y[0]], [1], 20),
    "prothero-robinson": (lambda t, y: [cos(t) - 1e6 * (y[0] - sin(t))], [0], 10),
    "linear": (
        lambda t, y: [-y[0] + 40 * y[1], -50 * y[1] + 3e3 * y[2], -1e4 * y[2] + cos(t)],
        [1, 1, 1],
        5,
    ),
    "oscillator": (lambda t, y: [y[1], -y[0]], [1, 0], 20),
    "damped": (lambda t, y: [y[1], -y[0] - 0.1 * y[1]], [1, 0], 50),
    "servo": (lambda t, y: [y[1], -1e4 * (y[0] - sin(t)) - 1e3 * y[1]], [0, 0], 10),
    "pendulum": (lambda t, y: [y[1], -9.81 * sin(y[0])], [1.5, 0], 10),
    "van der pol": (lambda t, y: [y[1], (1 - y[0] ** 2) * y[1] - y[0]], [2, 0], 20),
    "stiff van der pol": (lambda t, y: [y[1], 1e3 * (1 - y[0] ** 2) * y[1] - y[0]], [2, 0], 1200),
    "robertson": (robertson, [1, 0, 0], 1e4),
    "oregonator": (
        lambda t, y: [
            77.27 * (y[1] + y[0] * (1 - 8.375e-6 * y[0] - y[1])),
            (y[2] - (1 + y[0]) * y[1]) / 77.27,
            0.161 * (y[0] - y[2]),
        ],
        [1, 2, 3],
        360,
    ),
    "hires": (hires, [1, 0, 0, 0, 0, 0, 0, 0.0057], 321.8122),
    "arenstorf": (arenstorf, [0.994, 0, 0, -2.0015851063790825], 4),
    "kepler": (kepler, [0.7, 0, 0, (1.3 / 0.7) ** 0.5], 10),
    "brusselator": (
        lambda t, y: [1 + y[0] ** 2 * y[1] - 4 * y[0], 3 * y[0] - y[0] ** 2 * y[1]],
        [1.5, 3],
        20,
    ),
    "kaps": (
        lambda t, y: [-1002 * y[0] + 1e3 * y[1] ** 2, y[0] - y[1] - y[1] ** 2],
        [1, 1],
        5,
    ),
}


def main():
    print(f"# scipy {scipy.__version__}")
    print("problem,rtol,atol,steps,evaluations,jacobians,factorisations,error,reference")
    for name, (rates, start, end) in PROBLEMS.items():
        start = [float(value) for value in start]
        exact = solve_ivp(rates, (0, end), start, "Radau", rtol=1e-12, atol=1e-15).y[:, -1]
        for rtol, atol in TOLERANCES:
            found = solve_ivp(rates, (0, end), start, "BDF", rtol=rtol, atol=atol)
            assert found.success, name
            error = np.max(np.abs(found.y[:, -1] - exact) / (atol + rtol * np.abs(exact)))
            cells = [name, rtol, atol, len(found.t) - 1, found.nfev, found.njev, found.nlu]
            states = " ".join(repr(float(value)) for value in exact)
            print(",".join(str(cell) for cell in cells) + f",{error:.3e},{states}")


main()
