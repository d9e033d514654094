"""Write a train of any length, to see how things grow.

    python3 generate_train.py 20 > train_20.toml

Every wagon is the same tree: car body, two bogies, four wheelsets, 36 coordinates.
"""

import sys

HEAD = r'''# Train of {count} passenger wagons on straight track, {coordinates} coordinates in {count} trees. Invented but plausible data.
#
#         ___________________________        ___________________________
#        |        car body 02        |      |        car body 01        |
#     ---|___________________________|=-o-o-=___________________________|---   couplers are line forces
#           [bogie b]     [bogie a]            [bogie b]     [bogie a]
#            (4) (3)       (2) (1)              (4) (3)       (2) (1)          wheelsets      --> x
#
# Every wagon has 36 coordinates: car body 6, bogies 2 x 5 (y z yaw roll pitch), wheelsets 4 x 5 (y z yaw roll spin).
# Suspensions are laws of these joints; wheels creep on the rails. x forward, y to the left, z up. All coordinates are
# zero at rest, where the springs carry the weight. Written by generate_train.py.

[model]
name = "train_{count}"
about = "Train of {count} wagons, each with car body, two bogies and four wheelsets"
gravity = [0, 0, "-g"]

[parameters]
g   = 9.81
v_0 = 25                        # speed
# Geometry
x_b = 9.50                      # bogies from the middle of the car body
x_w = 1.25                      # wheelsets from the middle of the bogie
x_c = 12.60                     # couplers from the middle of the car body
l_c = 0.80                      #   length of a coupler at rest
l_w = "2*x_c + l_c"             # from wagon to wagon
r_w = 0.46                      # radius of the wheels
b   = 0.75                      # half the gauge
cone = 0.05                     # conicity
h_b = 0.60                      # height of the bogies' middle
h_c = 1.80                      #   of the car body's
h_k = 1.05                      #   of the couplers
# Masses
m_c = 3.2e4                     # car body
m_b = 2600                      # bogie
m_w = 1500                      # wheelset
n_w = "(m_c + 2*m_b + 4*m_w)*g/8"   # load of a wheel at rest
p_1 = "(m_c/2 + m_b)*g/2"       # primary spring of a wheelset at rest
p_2 = "m_c*g/2"                 # secondary spring of a bogie at rest
# Primary suspension, wheelset to bogie: stiffness and damping
k_1y = 7.5e6                    # lateral
c_1y = 2.0e4
k_1z = 2.4e6                    # vertical
c_1z = 2.0e4
k_1r = 2.4e6                    # roll
c_1r = 1.5e4
k_1w = 2.0e7                    # yaw
c_1w = 3.0e4
# Secondary suspension, bogie to car body
k_2y = 3.2e5                    # lateral
c_2y = 6.0e4
k_2z = 8.6e5                    # vertical
c_2z = 4.0e4
k_2r = 2.0e6                    # roll
c_2r = 4.0e4
k_2p = 1.0e5                    # pitch
c_2p = 1.0e4
k_2w = 3.0e5                    # yaw
c_2w = 6.0e5
# Couplers and locomotive
k_c = 1.0e7
c_c = 2.0e5
c_l = 2.0e5                     # the locomotive keeps the speed
# Wheel on rail: linear creep and a stiff spring
f_x = 1.0e7
f_y = 1.0e7
k_z = 1.0e8
c_z = 2.0e5
'''

AXES = {"x": "x", "y": "y", "z": "z", "yaw": "z", "roll": "x", "pitch": "y", "spin": "y"}


def joints(body, laws):
    """A chain of joints; `laws` gives an effort or none to each motion."""
    out = ["joint = ["]
    for motion, effort in laws:
        kind = "prismatic" if motion in ("x", "y", "z") else "revolute"
        law = f', effort = "{effort}"' if effort else ""
        out.append(f'  {{ name = "{body}_{motion}", type = "{kind}", axis = "{AXES[motion]}"{law} }},')
    return out + ["]"]


def body(name, parent, position, laws, mass, inertia, points=()):
    """A body with its chain of joints."""
    out = ["[[body]]", f'name = "{name}"', f'parent = "{parent}"']
    if position:
        out.append(f"position = {position}")
    out += joints(name, laws) + [f'mass = "{mass}"', f"inertia = {inertia}"]
    out += [f"points.{point} = {place}" for point, place in points]
    return "\n".join(out) + "\n\n"


SECONDARY = [
    ("y", "-k_2y*q - c_2y*qd"),
    ("z", "-p_2 - k_2z*q - c_2z*qd"),
    ("yaw", "-k_2w*q - c_2w*qd"),
    ("roll", "-k_2r*q - c_2r*qd"),
    ("pitch", "-k_2p*q - c_2p*qd"),
]
PRIMARY = [
    ("y", "-k_1y*q - c_1y*qd"),
    ("z", "-p_1 - k_1z*q - c_1z*qd"),
    ("yaw", "-k_1w*q - c_1w*qd"),
    ("roll", "-k_1r*q - c_1r*qd"),
    ("spin", ""),
]


def wheel(name, side):
    """Creep and load of one wheel; a wheel displaced towards its flange rolls on a larger radius."""
    radius = "(r_w + cone*(y - b))" if side == "left" else "(r_w - cone*(y + b))"
    along, across = f"(vx - {radius}*wy)", "(vy + r_w*wx)"
    return (
        f'[[force]]\nname = "{name}_{side}"\nat = "{name}.{side}"\n'
        f'force = ["-f_x/v_0*{along}", "-f_y/v_0*{across}", "max(0, n_w - k_z*(z - r_w) - c_z*vz)"]\n'
        f'torque = ["-r_w*f_y/v_0*{across}", "r_w*f_x/v_0*{along}", 0]\n\n'
    )


def wagon(number):
    """One wagon with its wheels on the rails and its coupler to the wagon before."""
    car = f"w{number:02}"
    behind = {0: "0", 1: '"-l_w"'}.get(number - 1, f'"-{number - 1}*l_w"')
    text = f"# Wagon {number:02}\n"
    text += body(
        car, "ground", f'[{behind}, 0, "h_c"]',
        [(motion, "") for motion in ("x", "y", "z", "yaw", "roll", "pitch")],
        "m_c", "{ xx = 5.6e4, yy = 1.9e6, zz = 1.9e6 }",
        [
            ("front", '["x_c", 0, "h_k - h_c"]'),
            ("back", '["-x_c", 0, "h_k - h_c"]'),
            ("a", '["x_b", 0, "h_b - h_c"]'),
            ("b", '["-x_b", 0, "h_b - h_c"]'),
        ],
    )
    for bogie in "ab":
        text += body(
            f"{car}_{bogie}", f"{car}.{bogie}", "", SECONDARY,
            "m_b", "{ xx = 1700, yy = 1500, zz = 3000 }",
            [
                ("first", '["x_w", 0, "r_w - h_b"]'),
                ("second", '["-x_w", 0, "r_w - h_b"]'),
            ],
        )
    for wheelset in range(1, 5):
        bogie, place = "ab"[(wheelset - 1) // 2], ("first", "second")[(wheelset - 1) % 2]
        text += body(
            f"{car}_{wheelset}", f"{car}_{bogie}.{place}", "", PRIMARY,
            "m_w", "{ xx = 900, yy = 110, zz = 900 }",
            [("left", '[0, "b", 0]'), ("right", '[0, "-b", 0]')],
        )
    for wheelset in range(1, 5):
        for side in ("left", "right"):
            text += wheel(f"{car}_{wheelset}", side)
    if number > 1:
        text += (
            f'[[line_force]]\nname = "coupler{number - 1:02}"\nbetween = ["w{number - 1:02}.back", "{car}.front"]\n'
            'force = "k_c*(Z - l_c) + c_c*Zd"\n\n'
        )
    return text


def train(count):
    """The whole file."""
    text = HEAD.format(count=count, coordinates=36 * count) + "\n"
    for number in range(1, count + 1):
        text += wagon(number)
    text += (
        '[[force]]\nname = "locomotive"\nat = "w01.front"\nforce = ["c_l*(v_0 - vx)", 0, 0]\n\n'
        "# Rolling at constant speed; the first wagon has been pushed a little to the left.\n"
        "[initial.q]\nw01_y = 0.01\n\n[initial.qd]\n"
    )
    for number in range(1, count + 1):
        text += f'w{number:02}_x = "v_0"\n'
        text += "".join(f'w{number:02}_{k}_spin = "v_0/r_w"\n' for k in range(1, 5))
    return text


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit() or int(sys.argv[1]) < 1:
        sys.exit("usage: python3 generate_train.py N > train_N.toml, with N wagons, at least one")
    print(train(int(sys.argv[1])), end="")
