"""Writes the numbers that `main.rs` compares with: inverse dynamics of MuJoCo and Pinocchio in their conventions.

Usage: python reference.py > reference.txt
"""

import pathlib

import mujoco
import numpy as np
import pinocchio as pin

FOLDER = pathlib.Path(__file__).parent
GRAVITY = np.array([0.3, -0.2, -9.81])
random = np.random.default_rng(19)


def line(name, values):
    print(name, *(repr(float(value)) for value in values))


def states(title, nq, nv, normalise, inverse):
    for _ in range(3):
        q = normalise(random.uniform(-2, 2, nq))
        qd, qdd = random.uniform(-3, 3, nv), random.uniform(-5, 5, nv)
        print(title)
        line("q", q)
        line("qd", qd)
        line("qdd", qdd)
        line("effort", inverse(q, qd, qdd))


def for_mujoco(file):
    model = mujoco.MjModel.from_xml_path(str(FOLDER / file))
    data = mujoco.MjData(model)

    def normalise(q):
        mujoco.mj_normalizeQuat(model, q)
        return q

    def inverse(q, qd, qdd):
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse

    names = [model.joint(i).name for i in range(model.njnt)]
    title = " ".join(["mujoco", file, *names])
    states(title, model.nq, model.nv, normalise, inverse)


def for_pinocchio(file, model):
    model.gravity.linear = GRAVITY if file.endswith("xml") else np.array([0, 0, -9.81])
    data = model.createData()
    title = " ".join(["pinocchio", file, *list(model.names)[1:]])
    states(
        title,
        model.nq,
        model.nv,
        lambda q: pin.normalize(model, q),
        lambda q, qd, qdd: pin.rnea(model, data, q, qd, qdd),
    )


print(f"# MuJoCo {mujoco.__version__}, Pinocchio {pin.__version__}, written by reference.py")
for_mujoco("drone.xml")
for_pinocchio("drone.xml", pin.buildModelFromMJCF(str(FOLDER / "drone.xml")))
for_pinocchio("cart.urdf", pin.buildModelFromUrdf(str(FOLDER / "cart.urdf")))
