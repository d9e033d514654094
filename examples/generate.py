#!/usr/bin/env python3
"""Writes members of families of mechanisms as model files.

    python3 examples/generate.py pendulum 8 > examples/n_pendulum_8.toml
    python3 examples/generate.py robot2 6 > examples/seeds/robot2_6.toml

Python 3, standard library only. The same arguments always give the same bytes.
"""

import sys

PENDULUM_HEAD = """\
# Pendulum of {n} links, point masses on massless rods, a standard problem; plain numbers as data.
# Written by `python3 examples/generate.py pendulum {n}`.
#
#   ground o---- l ----(m)---- l ----(m)-- ...        y
#                                                     |
#   all rods horizontal at the start                  o-- x

[model]
name = "n_pendulum_{n}"
gravity = [0, -9.81, 0]

[parameters]
m = 1                          # mass at the end of every rod
l = 1                          # length of every rod
"""

PENDULUM_LINK = """
[[body]]
name = "link{i}"
parent = "{parent}"
joint = {{ name = "q{i}", type = "revolute", axis = "z" }}{note}
mass = "m"
com = [0, "-l", 0]
points.tip = [0, "-l", 0]
"""

PENDULUM_TAIL = """
[[sensor]]
name = "tip"
at = "link{n}.tip"
measures = ["position", "velocity"]

[initial.q]
q1 = "pi/2"                    # what is not given is zero
"""


def pendulum(n):
    """A planar pendulum of n equal links with relative angles."""
    parts = [PENDULUM_HEAD.format(n=n)]
    parent = "ground"
    for i in range(1, n + 1):
        note = {1: "    # zero: hanging", 2: "    # relative to the link above"}.get(i, "")
        parts.append(PENDULUM_LINK.format(i=i, parent=parent, note=note))
        parent = f"link{i}.tip"
    parts.append(PENDULUM_TAIL.format(n=n))
    return "".join(parts)


ROBOT2_HEAD = """\
# Robot2-{n}: a rigid open chain of {members} with one joint each, for the tables of Moore (2000), chapter 3.
# Written by `python3 examples/generate.py robot2 {n}`.
#
# Data: Moore says no more of his Robot2-i than this. Here revolute axes are z and y in turn, and every member has a length, a
# mass, a centre of mass along it and three moments of inertia of its own, all symbols; numbers are those of rods.
# What differs: joint axes, offsets and the number of parameters of his models are not known, so that growth can be compared,
# not single numbers.

[model]
name = "robot2_{n}"

[parameters]
"""

ROBOT2_PARAMETERS = """\
l{i} = 0.5
m{i} = 4
c{i} = 0.25
A{i} = 0.01
B{i} = 0.09
C{i} = 0.09
"""

ROBOT2_MEMBER = """
[[body]]
name = "member{i}"
parent = "{parent}"
joint = {{ name = "q{i}", type = "revolute", axis = "{axis}" }}
mass = "m{i}"
com = ["c{i}", 0, 0]
inertia = {{ xx = "A{i}", yy = "B{i}", zz = "C{i}" }}
points.tip = ["l{i}", 0, 0]
"""


def robot2(n):
    """A chain of n members in space."""
    members = "one member" if n == 1 else f"{n} members"
    parts = [ROBOT2_HEAD.format(n=n, members=members)]
    parts += [ROBOT2_PARAMETERS.format(i=i) for i in range(1, n + 1)]
    parent = "ground"
    for i in range(1, n + 1):
        parts.append(ROBOT2_MEMBER.format(i=i, parent=parent, axis="zy"[(i - 1) % 2]))
        parent = f"member{i}.tip"
    return "".join(parts)


# Every family: its name, and the function from a size to a text.
FAMILIES = {"pendulum": pendulum, "robot2": robot2}


def main(arguments):
    families = ", ".join(sorted(FAMILIES))
    if len(arguments) != 2:
        sys.exit(f"usage: generate.py FAMILY SIZE, where FAMILY is one of: {families}")
    family, size = arguments
    if family not in FAMILIES:
        sys.exit(f"unknown family `{family}`; there are: {families}")
    if not (size.isascii() and size.isdigit() and int(size) > 0):
        sys.exit(f"the size is `{size}`; it must be a positive whole number")
    # Bytes, so that line ends are the same on every system.
    sys.stdout.buffer.write(FAMILIES[family](int(size)).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
