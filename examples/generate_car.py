"""Write multilink_car.toml: a car whose four suspensions are equal but for their hard points.

    python3 generate_car.py > multilink_car.toml
    python3 generate_car.py lane > seeds/double_lane_change.toml
    python3 generate_car.py posts > seeds/four_post.toml

The left and the right suspension of an axle mirror each other, and the front axle differs from the
rear one by numbers only. One template therefore makes all four; what differs stands in the tables below.
"""

import sys

HEAD = r'''# Multi-link car, class of an Audi A6: 54 coordinates, 40 constraint rows, 14 degrees of freedom. Invented but plausible data.
#
#    suspension from above (front left)           bars from the subframe to the wheel carrier:
#
#      x     wheel carrier    subframe              upper_front, upper_rear
#      ^      | |   .--lower_front--o               lower_front, lower_rear (carries strut and carrier)
#      |      | |  / .--upper_front-o               and the fifth, the rod: it steers in front,
#    y <--    | |=[===]--lower_rear-o               and fixes the orientation at the rear
#             | |  \ '--upper_rear--o
#             | |   '------rod------o
#
# Chassis 6 + four suspensions x 12 (4 bars x 2 angles + 3 turns of the carrier on its lower rear bar + spin of the wheel).
# Per suspension three ball cuts (the other bars) and one rod cut = 10 constraint rows.
#
# x forward, y to the left, z up; all frames are parallel as long as all angles are zero, which is the design position.
# There every bar points from its inner to its outer hard point and all loops are closed. Written by generate_car.py.

[model]
name = "multilink_car"
about = "Car with four multi-link suspensions, springs, dampers and tyres"
gravity = [0, 0, "-g"]

[parameters]
g   = 9.81
v_0 = 20                        # initial speed
rack = 0                        # displacement of the steering rack to the left
# Chassis
m_c = 1380                      # mass
h   = 0.55                      # centre of mass above the ground
x_f = 1.19                      # front axle before it
x_r = -1.57                     # rear axle behind it
# Suspension parts
m_u = 1.2                       # upper bars
m_l = 2.8                       # lower bars
m_k = 14                        # wheel carrier with brake
o_k = 0.06                      #   centre of mass from the wheel's centre, inwards
m_w = 22                        # wheel
# Springs and dampers; preloads carry the car in the design position
k_f = 6.2e4                     # front: stiffness
c_f = 5.0e3                     #   damping
p_f = {p_f}                   #   preload
k_r = 6.6e4                     # rear: stiffness
c_r = 5.2e3                     #   damping
p_r = {p_r}                   #   preload
at_f = 0.70                     # where the strut stands on its bar, 0 inside, 1 outside
at_r = 0.65
# Tyres: side force after Pacejka, in proportion to the load
r_t = 0.315                     # radius without load
k_t = 2.2e5                     # vertical stiffness
c_t = 150                       #   damping
mu  = 1.0                       # side force: largest,
b_y = 12.5                      #   slope,
s_y = 1.3                       #   shape
b_x = 25                        # longitudinal force per unit of slip
n_f = {n_f}                   # load of a front wheel at rest
n_r = {n_r}                   #   of a rear wheel
r_f = "r_t - n_f/k_t"           # radius under load, front
r_r = "r_t - n_r/k_t"           #   and rear
# Drive: front wheels against the air
drag = 0.40                     # N per (m/s)^2
push = "drag*v_0^2/2"           # on each front wheel, holds the initial speed
'''

# Inner and outer hard points of the left side, from the middle of the axle at the height of the wheel centres.
BARS = ["upper_front", "upper_rear", "lower_front", "lower_rear"]
POINTS = {
    "f": {
        "upper_front": ((0.11, 0.46, 0.31), (0.01, 0.68, 0.29)),
        "upper_rear": ((-0.14, 0.46, 0.30), (-0.03, 0.68, 0.29)),
        "lower_front": ((0.33, 0.38, -0.06), (0.03, 0.71, -0.11)),
        "lower_rear": ((-0.02, 0.36, -0.07), (-0.01, 0.70, -0.12)),
        "rod": ((-0.12, 0.40, 0.13), (-0.14, 0.66, 0.10)),
        "strut": (-0.03, 0.55, 0.52),
        "wheel": 0.77,
    },
    "r": {
        "upper_front": ((0.12, 0.40, 0.17), (0.02, 0.68, 0.16)),
        "upper_rear": ((-0.10, 0.42, 0.16), (-0.04, 0.68, 0.155)),
        "lower_front": ((0.32, 0.42, -0.09), (0.06, 0.70, -0.10)),
        "lower_rear": ((-0.06, 0.26, -0.10), (-0.05, 0.70, -0.12)),
        "rod": ((-0.17, 0.30, -0.06), (-0.16, 0.69, -0.07)),
        "strut": (-0.05, 0.51, 0.42),
        "wheel": 0.775,
    },
}
AXLES = {"f": "front", "r": "rear"}
SHORT = {"upper_front": "1", "upper_rear": "2", "lower_front": "3", "lower_rear": "4", "rod": "5"}
# Equilibrium in the design position: preloads of the struts, loads of the tyres.
LOADS = {"p_f": "5703.36", "p_r": "4662.61", "n_f": "4269.00", "n_r": "3363.18"}


def line(name, value, comment=""):
    """A parameter with its comment in the column of all comments."""
    text = f"{name} = {value}"
    return f"{text:<32}# {comment}" if comment else text


def hard_points(axle):
    """The parameters of an axle: hard points, then the bars as vectors."""
    out = [f"# {AXLES[axle].capitalize()} hard points, left side, from the middle of the axle: x y z inner, X Y Z outer ends"]
    for bar in BARS + ["rod"]:
        inner, outer = POINTS[axle][bar]
        short = axle + SHORT[bar]
        words = bar.replace("_", " ")
        for letter, value in zip("xyz", inner):
            out.append(line(short + letter, f"{value: .3f}", words if letter == "x" else ""))
        for letter, value in zip("XYZ", outer):
            out.append(line(short + letter, f"{value: .3f}"))
    for letter, value in zip("xyz", POINTS[axle]["strut"]):
        out.append(line(f"{axle}s{letter}", f"{value: .3f}", "strut, upper end" if letter == "x" else ""))
    out.append(line(f"{axle}wY", f"{POINTS[axle]['wheel']: .3f}", "wheel centre"))
    out.append(f"# {AXLES[axle].capitalize()} bars as vectors from inner to outer end; lengths of rod and strut")
    for bar in BARS:
        short = axle + SHORT[bar]
        for to, letter in zip("uvw", "xyz"):
            out.append(f'{short}{to} = "{short}{letter.upper()} - {short}{letter}"')
    short = axle + "5"
    out.append(f'{short}l = "sqrt(({short}X - {short}x)^2 + ({short}Y - {short}y)^2 + ({short}Z - {short}z)^2)"')
    strut = " + ".join(
        f"({axle}s{c} - {axle}4{c} - at_{axle}*{axle}4{d})^2" for c, d in zip("xyz", "uvw")
    )
    out.append(f'{axle}sl = "sqrt({strut})"')
    return "\n".join(out) + "\n"


CHASSIS = '''
[[body]]
name = "chassis"
parent = "ground"
joint = [
  { name = "px", type = "prismatic", axis = "x" },
  { name = "py", type = "prismatic", axis = "y" },
  { name = "pz", type = "prismatic", axis = "z" },
  { name = "yaw", type = "revolute", axis = "z" },
  { name = "roll", type = "revolute", axis = "x" },
  { name = "pitch", type = "revolute", axis = "y" },
]
mass = "m_c"
inertia = { xx = 480, yy = 2050, zz = 2250, xz = -40 }
'''


def minus(side):
    """The sign of what is mirrored."""
    return "-" if side == "r" else ""


def subframe(axle):
    """The part of the chassis an axle is fixed to."""
    out = [
        f"# {AXLES[axle].capitalize()} subframe, fixed to the chassis: the inner hard points",
        "[[body]]",
        f'name = "{AXLES[axle]}"',
        'parent = "chassis"',
        f'position = ["x_{axle}", 0, "r_{axle} - h"]',
    ]
    for side in "lr":
        for bar in BARS + ["rod"]:
            p = axle + SHORT[bar]
            y = f"{minus(side)}{p}y" + (" + rack" if (bar, axle) == ("rod", "f") else "")
            out.append(f'points.{side}_{bar} = ["{p}x", "{y}", "{p}z"]')
        out.append(f'points.{side}_strut = ["{axle}sx", "{minus(side)}{axle}sy", "{axle}sz"]')
    return "\n".join(out) + "\n"


def bar(axle, side, name):
    """A bar on the subframe, as a thin rod."""
    corner, p = axle + side, axle + SHORT[name]
    mass = "m_u" if name.startswith("upper") else "m_l"
    s = minus(side)
    odd = "" if s else "-"
    lines = [
        "[[body]]",
        f'name = "{corner}_{name}"',
        f'parent = "{AXLES[axle]}.{side}_{name}"',
        f'joint = {{ name = "{corner}_{name}", type = "universal", axes = ["x", "z"] }}',
        f'mass = "{mass}"',
        f'com = ["{p}u/2", "{s}{p}v/2", "{p}w/2"]',
        f'inertia.xx = "{mass}*({p}v^2 + {p}w^2)/12"',
        f'inertia.yy = "{mass}*({p}u^2 + {p}w^2)/12"',
        f'inertia.zz = "{mass}*({p}u^2 + {p}v^2)/12"',
        f'inertia.xy = "{odd}{mass}*{p}u*{p}v/12"',
        f'inertia.xz = "-{mass}*{p}u*{p}w/12"',
        f'inertia.yz = "{odd}{mass}*{p}v*{p}w/12"',
        f'points.outer = ["{p}u", "{s}{p}v", "{p}w"]',
    ]
    if name == "lower_rear":
        lines.append(f'points.strut = ["at_{axle}*{p}u", "{s}at_{axle}*{p}v", "at_{axle}*{p}w"]')
    return "\n".join(lines) + "\n"


def carrier_and_wheel(axle, side):
    """The carrier on its lower rear bar, and the wheel."""
    corner, a, s = axle + side, axle, minus(side)

    def from_ball(p):
        y = f"{p}Y - {a}4Y" if not s else f"{a}4Y - {p}Y"
        return f'["{p}X - {a}4X", "{y}", "{p}Z - {a}4Z"]'

    hub, inwards = (f"{a}4Y - {a}wY", "+") if s else (f"{a}wY - {a}4Y", "-")
    lines = [
        "[[body]]",
        f'name = "{corner}_carrier"',
        f'parent = "{corner}_lower_rear.outer"',
        "joint = [",
        f'  {{ name = "{corner}_steer", type = "revolute", axis = "z" }},',
        f'  {{ name = "{corner}_camber", type = "revolute", axis = "x" }},',
        f'  {{ name = "{corner}_caster", type = "revolute", axis = "y" }},',
        "]",
        'mass = "m_k"',
        f'com = ["-{a}4X", "{hub} {inwards} o_k", "-{a}4Z"]',
        "inertia = { xx = 0.24, yy = 0.18, zz = 0.16 }",
    ]
    for name in ["upper_front", "upper_rear", "lower_front", "rod"]:
        lines.append(f"points.{name} = {from_ball(a + SHORT[name])}")
    lines += [
        f'points.wheel = ["-{a}4X", "{hub}", "-{a}4Z"]',
        "",
        "[[body]]",
        f'name = "{corner}_wheel"',
        f'parent = "{corner}_carrier.wheel"',
    ]
    effort = ', effort = "push*r_f"' if axle == "f" else ""
    lines += [
        f'joint = {{ name = "{corner}_spin", type = "revolute", axis = "y"{effort} }}',
        'mass = "m_w"',
        "inertia = { xx = 0.7, yy = 1.1, zz = 0.7 }",
    ]
    return "\n".join(lines) + "\n"


def closures_and_forces(axle, side):
    """Cuts, strut and tyre."""
    corner, frame = axle + side, AXLES[axle]
    out = []
    for name in BARS[:3]:
        out.append(
            f'[[cut]]\nname = "{corner}_{name}"\ntype = "ball"\n'
            f'between = ["{corner}_{name}.outer", "{corner}_carrier.{name}"]\n'
        )
    out.append(
        f'[[cut]]\nname = "{corner}_rod"\ntype = "rod"\nlength = "{axle}5l"\n'
        f'between = ["{frame}.{side}_rod", "{corner}_carrier.rod"]\n'
    )
    out.append(
        f'[[line_force]]\nname = "{corner}_strut"\nbetween = ["{frame}.{side}_strut", "{corner}_lower_rear.strut"]\n'
        f'force = "k_{axle}*(Z - {axle}sl) + c_{axle}*Zd - p_{axle}"\n'
    )
    out.append(
        f'[[wheel]]\nname = "{corner}_tyre"\nbody = "{corner}_wheel"\nradius = "r_t"\n'
        'vertical = "k_t*depth + c_t*depth_rate"\n'
        'lateral = "-Fz*mu*sin(s_y*atan(b_y*side_slip))"\n'
        'longitudinal = "-Fz*b_x*slip"\n'
    )
    return "\n".join(out)


INITIAL = '''# Anti-roll bars are left out: their force depends on both sides of an axle.

[[force]]
name = "air"
at = "chassis"
force = ["-drag*vx*abs(vx)", 0, 0]

# Design position, straight ahead, in equilibrium
[initial.q]
pz = "h"

[initial.qd]
px = "v_0"
fl_spin = "v_0/r_f*(1 + push/(n_f*b_x))"
fr_spin = "v_0/r_f*(1 + push/(n_f*b_x))"
rl_spin = "v_0/r_r"
rr_spin = "v_0/r_r"
'''


def car():
    """The whole file."""
    parts = [HEAD.format(**LOADS), hard_points("f"), hard_points("r"), CHASSIS]
    text = "".join(parts)
    for axle in "fr":
        text += "\n" + subframe(axle)
        for side in "lr":
            words = f"{AXLES[axle]} {'left' if side == 'l' else 'right'}"
            text += f"\n# Suspension {words}\n"
            text += "\n".join(bar(axle, side, name) for name in BARS)
            text += "\n" + carrier_and_wheel(axle, side)
            text += "\n" + closures_and_forces(axle, side)
    return text + "\n" + INITIAL


# Anti-roll bars: torques on the lower rear bars, of which the left one turns up and the right one down.
ROLL = {"f": "k_roll_f", "r": "k_roll_r"}

LANE_PARAMETERS = """# Anti-roll bars, drive shafts, engine
k_roll_f = 900                  # torque per angle of a lower bar
k_roll_r = 350
k_shaft = 6000                  # both shafts together
c_shaft = 60
J_drive = 1.2                   # engine and gears, seen at the shafts
# Steering: a turn to the right and back, later one to the left and back
lane = 2.8e-3                   # largest displacement of the rack
turn = 2.6                      # duration of a turn
first = 1                       # when it begins
back = 6                        # when the second begins
"""

LANE_ELEMENTS = """
# Steering rack on the front subframe, moved by an input
[[body]]
name = "rack"
parent = "front"
joint = { name = "rack", type = "prismatic", axis = "y" }
points.l_rod = ["f5x", "f5y", "f5z"]
points.r_rod = ["f5x", "-f5y", "f5z"]

[[input]]
name = "steer"
unit = "m"
value = "lane*(pulse(t - first) - pulse(t - back))"
limits = [-0.06, 0.06]
filter = 0.02
about = "displacement of the steering rack to the left"

[[motion]]
joint = "rack"
q = "steer"

# Engine on drive shafts with an open differential; it holds the speed
[[controller]]
name = "cruise"
type = "pid"
input = "v_0 - chassis.velocity.x*cos(yaw) - chassis.velocity.y*sin(yaw)"
kp = 400
ki = 100
limits = [-800, 1500]
initial = { integral = "2*push*r_f" }
about = "torque of the engine"

[[state]]
name = "engine"
unit = "rad/s"
initial = "v_0/r_f*(1 + push/(n_f*b_x))"
rate = "(cruise - shafts)/J_drive"

[[state]]
name = "twist"
unit = "rad"
initial = "2*push*r_f/k_shaft"
rate = "engine - (fl_spin.d + fr_spin.d)/2"

[[controller]]
name = "shafts"
output = "k_shaft*twist + c_shaft*(engine - (fl_spin.d + fr_spin.d)/2)"
about = "torque of both shafts"
"""

POSTS_ELEMENTS = """
# Posts under the wheels
[[input]]
name = "fl_post"
unit = "m"
value = "post*sin(w*t)*min(1, t)"

[[input]]
name = "fr_post"
unit = "m"
value = "post*sin(w*t + phase)*min(1, t)"

[[input]]
name = "rl_post"
unit = "m"
value = "post*sin(w*t - lag)*min(1, t)"

[[input]]
name = "rr_post"
unit = "m"
value = "post*sin(w*t - lag + phase)*min(1, t)"
"""


def rolled(text):
    """Anti-roll bars between the suspensions of an axle."""
    for axle, stiffness in ROLL.items():
        for side in "lr":
            name = f"{axle}{side}_lower_rear"
            joint = f'joint = {{ name = "{name}", type = "universal", axes = ["x", "z"] }}'
            law = f'effort = ["-{stiffness}*({axle}l_lower_rear[1] + {axle}r_lower_rear[1])", 0]'
            text = text.replace(joint, joint.replace(" }", f", {law} }}"))
    return text.replace("# Anti-roll bars are left out: their force depends on both sides of an axle.\n\n", "")


def lane():
    """The car with a steered rack, anti-roll bars and drive shafts."""
    text = rolled(car())
    text = text.replace("# Multi-link car, class", "# Double lane change of the multi-link car, class", 1)
    text = text.replace('name = "multilink_car"', 'name = "double_lane_change"')
    text = text.replace("rack = 0                        # displacement of the steering rack to the left\n", "")
    text = text.replace(" + rack", "").replace("# Front hard points", LANE_PARAMETERS + "# Front hard points", 1)
    for side in "lr":
        text = text.replace(f'["front.{side}_rod"', f'["rack.{side}_rod"')
        text = text.replace(f'name = "f{side}_spin", type = "revolute", axis = "y", effort = "push*r_f"', f'name = "f{side}_spin", type = "revolute", axis = "y", effort = "shafts/2"')
    pulse = lambda at: f"if({at} < 0, 0, if({at} < turn, sin(2*pi*({at})/turn), 0))"
    elements = LANE_ELEMENTS
    for start in ["first", "back"]:
        elements = elements.replace(f"pulse(t - {start})", pulse(f"t - {start}"))
    return text.replace("\n[[force]]\n", elements + "\n[[force]]\n", 1)


def posts():
    """The car at rest on four posts."""
    text = rolled(car())
    text = text.replace("# Multi-link car, class", "# Multi-link car on a four-post shaker, class", 1)
    text = text.replace('name = "multilink_car"', 'name = "four_post"')
    text = text.replace("v_0 = 20 ", "v_0 = 0  ").replace("rack = 0                        # displacement of the steering rack to the left\n", "")
    text = text.replace(" + rack", "").replace("# Front hard points", """# Posts
k_roll_f = 900                  # torque per angle of a lower bar
k_roll_r = 350
post = 0.01                     # amplitude
w = "2*pi*3"                    # frequency
phase = 0.6                     # of the right posts
lag = 1.2                       # of the rear posts
# Front hard points""", 1)
    for corner in ["fl", "fr", "rl", "rr"]:
        tyre = f'name = "{corner}_tyre"\nbody = "{corner}_wheel"\nradius = "r_t"\n'
        text = text.replace(tyre, tyre + f'ground = "{corner}_post"\n')
    # The posts carry the wheels, and soft springs keep the car in its place: nothing rolls.
    for name, kind, axis in [("px", "prismatic", "x"), ("py", "prismatic", "y"), ("yaw", "revolute", "z")]:
        joint = f'name = "{name}", type = "{kind}", axis = "{axis}"'
        text = text.replace(joint, joint + ', effort = "-2e4*q - 4e3*qd"')
    text = text.replace(', effort = "push*r_f"', "").replace("# Tyres: side force after Pacejka, in proportion to the load", "# Tyres")
    start, end = text.index("[[force]]\n"), text.index("# Design position")
    text = text[:start] + POSTS_ELEMENTS.lstrip() + "\n" + text[end : text.index("\n[initial.qd]")]
    text = text.replace("# Design position, straight ahead, in equilibrium", "# Design position, in equilibrium")
    rolling = ("v_0 ", "mu ", "b_y ", "s_y ", "b_x ", "drag ", "push ", "# Drive", "lateral ", "longitudinal ")
    return "".join(line for line in text.splitlines(True) if not line.startswith(rolling))


if __name__ == "__main__":
    variants = {"lane": lane, "posts": posts}
    print(variants.get(sys.argv[-1], car)(), end="")
