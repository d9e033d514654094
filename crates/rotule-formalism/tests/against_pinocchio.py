"""Compares Rotule with Pinocchio on the mechanisms that the example `oracle` writes.

Usage: python against_pinocchio.py FILE

Every multi-axis joint is built as a chain of joints of one degree of freedom about unaligned axes, with nothing
between; spherical and free joints are Pinocchio's own. Joints are added depth-first: `crba` is silently wrong
otherwise. Numbers agree to 1e-11 of the largest magnitude of their output.
"""

import json
import sys

import numpy as np
import pinocchio as pin

TOLERANCE = 1e-11
# Mechanisms have masses and lengths of about one. Outputs below this are zero but for rounding.
SMALL = 1e-3
WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def in_plane(n):
    """The two directions of a planar joint, as the manual defines them."""
    n = np.asarray(n)
    for i in range(3):
        if abs(n[i]) == 1.0:
            u = np.eye(3)[(i + 1) % 3]
            return u, np.cross(n, u)
    least = int(np.argmin(np.round(np.abs(n), 12)))
    e = np.eye(3)[least]
    u = e - n[least] * n
    u /= np.linalg.norm(u)
    return u, np.cross(n, u)


class Oracle:
    """One mechanism as a Pinocchio model, in Rotule's order of coordinates and speeds."""

    def __init__(self, tree):
        self.tree = tree
        self.model = pin.Model()
        self.model.gravity = pin.Motion(np.array(tree["gravity"]), np.zeros(3))
        # For each body: its joint and where it is in that joint's frame.
        self.places = [None] * len(tree["bodies"])
        # Pairs of (Pinocchio's joint, how many, Rotule's first q, first v) and the drives.
        self.joints = []
        children = {}
        for at, body in enumerate(tree["bodies"]):
            children.setdefault(body["parent"], []).append(at)
        stack = [(at, 0, pin.SE3.Identity()) for at in reversed(children.get(-1, []))]
        while stack:
            at, joint, inside = stack.pop()
            joint, inside = self.add_body(at, joint, inside)
            self.places[at] = (joint, inside)
            stack += [(child, joint, inside) for child in reversed(children.get(at, []))]
        self.order()
        self.data = self.model.createData()
        self.state(tree)

    def add_body(self, at, joint, inside):
        body = self.tree["bodies"][at]
        inside = inside * placement(body)
        for one in body["joints"]:
            for kind, axis, q, v in elementary(one):
                model = joint_model(kind, axis, one["pitch"])
                if model is None:
                    continue
                name = f"{one['name']}/{len(self.joints)}"
                joint = self.model.addJoint(joint, model, inside, name)
                self.joints.append((joint, kind, one["q"] + q, one["v"] + v, one["armature"]))
                inside = pin.SE3.Identity()
        if body["mass"] > 0:
            inertia = np.array(body["inertia"]).reshape(3, 3)
            own = pin.Inertia(body["mass"], np.array(body["com"]), inertia)
            self.model.appendBodyToJoint(joint, own, inside)
        return joint, inside

    def order(self):
        """`self.v[i]` is Rotule's place of Pinocchio's speed i."""
        nv = self.model.nv
        self.v = np.zeros(nv, dtype=int)
        armature = np.zeros(nv)
        for joint, _, _, v, drive in self.joints:
            first, count = self.model.idx_vs[joint], self.model.nvs[joint]
            self.v[first : first + count] = v + np.arange(count)
            armature[first : first + count] = drive
        assert sorted(self.v) == list(range(nv)), "every speed once"
        self.model.armature = armature

    def state(self, tree):
        q = pin.neutral(self.model)
        for joint, kind, at, _, _ in self.joints:
            first, own = self.model.idx_qs[joint], tree["q"][at:]
            if kind == "spherical":
                q[first : first + 4] = [own[1], own[2], own[3], own[0]]
            elif kind == "free":
                q[first : first + 7] = own[:3] + [own[4], own[5], own[6], own[3]]
            else:
                q[first] = own[0]
        self.q = q
        self.qd, self.qdd, self.effort = (np.array(tree[n])[self.v] for n in ("qd", "qdd", "effort"))

    def vector(self, v):
        """A vector over the speeds in Rotule's order."""
        out = np.zeros(len(v))
        out[self.v] = v
        return out

    def columns(self, m):
        out = np.zeros_like(m)
        out[:, self.v] = m
        return out

    def matrix(self, m):
        nv = self.model.nv
        out = np.zeros((nv, nv))
        out[np.ix_(self.v, self.v)] = np.asarray(m).reshape(nv, nv)
        return out

    def whole_of(self, m):
        """A symmetric matrix from its upper half, which is all that some functions fill."""
        m = np.array(m).reshape(self.model.nv, self.model.nv)
        return np.triu(m) + np.triu(m, 1).T

    # Dynamics.

    def inverse(self, qd=None, qdd=None):
        qd = self.qd if qd is None else qd
        qdd = self.qdd if qdd is None else qdd
        return pin.rnea(self.model, self.data, self.q, qd, qdd)

    def mass(self):
        return self.whole_of(pin.crba(self.model, self.data, self.q))

    def bias(self):
        return self.inverse(qdd=0 * self.qdd)

    def gravity(self):
        return self.inverse(0 * self.qd, 0 * self.qdd)

    def coriolis(self):
        weight = self.model.gravity.linear.copy()
        self.model.gravity = pin.Motion.Zero()
        out = self.bias()
        self.model.gravity = pin.Motion(weight, np.zeros(3))
        return out

    def forward(self):
        return pin.aba(self.model, self.data, self.q, self.qd, self.effort)

    def inverse_mass(self):
        return self.whole_of(pin.computeMinverse(self.model, self.data, self.q))

    def inverse_derivatives(self):
        found = pin.computeRNEADerivatives(self.model, self.data, self.q, self.qd, self.qdd)
        return [self.matrix(m) for m in (found[0], found[1], self.whole_of(found[2]))]

    def forward_derivatives(self):
        found = pin.computeABADerivatives(self.model, self.data, self.q, self.qd, self.effort)
        return [self.matrix(m) for m in (found[0], found[1], self.whole_of(found[2]))]

    # Kinematics of frames fixed to bodies.

    def frame(self, body, tip):
        joint, inside = self.places[body]
        if tip:
            inside = inside * placement(self.tree["bodies"][body]["tip"])
        return joint, inside

    def jacobian(self, frame):
        """Linear above angular, in the ground's axes, at the frame's origin."""
        joint, inside = frame
        pin.computeJointJacobians(self.model, self.data, self.q)
        if joint == 0:
            return np.zeros((6, self.model.nv))
        # At the joint's origin; then moved to the frame's.
        j = np.array(pin.getJointJacobian(self.model, self.data, joint, WORLD)).reshape(6, -1)
        arm = self.data.oMi[joint].rotation @ inside.translation
        j[:3] -= skew(arm) @ j[3:]
        return self.columns(j)

    def pose(self, frame):
        pin.forwardKinematics(self.model, self.data, self.q)
        joint, inside = frame
        return self.data.oMi[joint] * inside

    def motion(self, frame):
        """Velocity, angular velocity, acceleration, angular acceleration in the ground's axes."""
        pin.forwardKinematics(self.model, self.data, self.q, self.qd, self.qdd)
        joint, inside = frame
        if joint == 0:
            return [np.zeros(3)] * 4
        turn = self.data.oMi[joint].rotation
        v, a = self.data.v[joint], self.data.a[joint]
        w, wd = turn @ v.angular, turn @ a.angular
        velocity = turn @ v.linear
        acceleration = turn @ (a.linear + np.cross(v.angular, v.linear))
        arm = turn @ inside.translation
        velocity = velocity + np.cross(w, arm)
        acceleration = acceleration + np.cross(wd, arm) + np.cross(w, np.cross(w, arm))
        return [velocity, w, acceleration, wd]

    def relative(self, frame, reference):
        """Pose, Jacobian and motion of a frame as seen by an observer on a body, in the body's axes."""
        pose, base = self.pose(frame), self.pose(reference)
        turn = base.rotation.T
        arm = pose.translation - base.translation
        j, jb = self.jacobian(frame), self.jacobian(reference)
        linear = turn @ (j[:3] - jb[:3] + skew(arm) @ jb[3:])
        angular = turn @ (j[3:] - jb[3:])
        v, w, a, wd = self.motion(frame)
        vb, wb, ab, wdb = self.motion(reference)
        vr = v - vb - np.cross(wb, arm)
        wr = w - wb
        ar = a - ab - np.cross(wdb, arm) - np.cross(wb, np.cross(wb, arm)) - 2 * np.cross(wb, vr)
        wdr = wd - wdb - np.cross(wb, wr)
        return {
            "position": turn @ arm,
            "rotation": turn @ pose.rotation,
            "jacobian": np.vstack([linear, angular]),
            "velocity": turn @ vr,
            "angular_velocity": turn @ wr,
            "acceleration": turn @ ar,
            "angular_acceleration": turn @ wdr,
        }

    # Whole mechanisms.

    def masses(self):
        """Mass, centre of mass and its velocity, of every body that has mass."""
        for at, body in enumerate(self.tree["bodies"]):
            if body["mass"] > 0:
                joint, inside = self.places[at]
                at_com = pin.SE3(inside.rotation, inside.act(np.array(body["com"])))
                frame = joint, at_com
                v, w, _, _ = self.motion(frame)
                pose = self.pose(frame)
                inertia = np.array(body["inertia"]).reshape(3, 3)
                yield body["mass"], pose.translation, v, w, pose.rotation @ inertia @ pose.rotation.T

    def reactions(self):
        """Force and torque on each body with all that it carries, about its origin and in its axes."""
        bodies = self.tree["bodies"]
        gravity = np.array(self.tree["gravity"])
        origins = [self.pose(place) for place in self.places]
        needed = [np.zeros((2, 3)) for _ in bodies]
        for at, body in enumerate(bodies):
            if body["mass"] > 0:
                joint, inside = self.places[at]
                frame = joint, pin.SE3(inside.rotation, inside.act(np.array(body["com"])))
                _, w, a, wd = self.motion(frame)
                pose = self.pose(frame)
                inertia = pose.rotation @ np.array(body["inertia"]).reshape(3, 3) @ pose.rotation.T
                force = body["mass"] * (a - gravity)
                torque = inertia @ wd + np.cross(w, inertia @ w)
                carrier = at
                while carrier >= 0:
                    arm = pose.translation - origins[carrier].translation
                    needed[carrier] += [force, torque + np.cross(arm, force)]
                    carrier = bodies[carrier]["parent"]
        out = np.zeros((len(bodies), 6))
        for at, body in enumerate(bodies):
            out[body["row"]] = (needed[at] @ origins[at].rotation).ravel()
        return out

    def parameters(self):
        """Mass, first moments and inertia about the origin of each body, then the drives."""
        bodies = sorted(self.tree["bodies"], key=lambda body: body["row"])
        out = []
        for body in bodies:
            mass, com = body["mass"], np.array(body["com"])
            inertia = np.array(body["inertia"]).reshape(3, 3) - mass * skew(com) @ skew(com)
            out += [mass, *(mass * com), *inertia[np.triu_indices(3)]]
        return np.array(out + list(self.vector(self.model.armature)))

    def whole(self):
        bodies = list(self.masses())
        mass = sum(m for m, *_ in bodies)
        com = sum(m * p for m, p, *_ in bodies) / mass
        velocity = sum(m * v for m, _, v, *_ in bodies) / mass
        spin = sum(m * np.cross(p - com, v) + inertia @ w for m, p, v, w, inertia in bodies)
        return mass, com, velocity, spin

    def rates(self):
        """Derivatives of the coordinates: Pinocchio has none, so by the product of quaternions."""
        out = np.zeros(len(self.tree["q"]))
        for _, kind, q, v, _ in self.joints:
            own, speed = self.tree["q"][q:], self.tree["qd"][v:]
            if kind == "free":
                turn = pin.Quaternion(own[3], own[4], own[5], own[6]).toRotationMatrix()
                out[q : q + 3] = turn @ speed[:3]
                out[q + 3 : q + 7] = spin(own[3:7], speed[3:6])
            elif kind == "spherical":
                out[q : q + 4] = spin(own[:4], speed[:3])
            else:
                out[q] = speed[0]
        return out


def spin(quaternion, w):
    """The derivative of a quaternion, w first, for an angular velocity in the moving axes."""
    half = pin.Quaternion(*quaternion) * pin.Quaternion(0.0, w[0] / 2, w[1] / 2, w[2] / 2)
    return [half.w, half.x, half.y, half.z]


def placement(one):
    return pin.SE3(np.array(one["rotation"]).reshape(3, 3), np.array(one["position"]))


def elementary(joint):
    """The joint as steps: kind, axis, place of the coordinate, place of the speed."""
    kind, axes = joint["type"], [np.array(axis) for axis in joint["axes"]]
    if kind == "cylindrical":
        return [("prismatic", axes[0], 1, 1), ("revolute", axes[0], 0, 0)]
    if kind == "universal":
        return [("revolute", axes[0], 0, 0), ("revolute", axes[1], 1, 1)]
    if kind == "planar":
        u, v = in_plane(axes[0])
        return [("prismatic", u, 0, 0), ("prismatic", v, 1, 1), ("revolute", axes[0], 2, 2)]
    return [(kind, axes[0] if axes else None, 0, 0)]


def joint_model(kind, axis, pitch):
    if kind == "revolute":
        return pin.JointModelRevoluteUnaligned(*axis)
    if kind == "prismatic":
        return pin.JointModelPrismaticUnaligned(*axis)
    if kind == "helical":
        return pin.JointModelHelicalUnaligned(*axis, pitch)
    return {"spherical": pin.JointModelSpherical, "free": pin.JointModelFreeFlyer, "fixed": lambda: None}[kind]()


def expected(oracle, function):
    """What the outputs of a function should be, in order or by name; none for what is not known here."""
    tree = oracle.tree
    name, _, rest = function.partition("(")
    inside = [word.strip() for word in rest.rstrip(")").split(",")] if rest else []
    if name in ("position", "rotation", "jacobian", "velocity", "angular_velocity", "acceleration", "angular_acceleration"):
        frame = oracle.frame(tree[inside[0]], inside[0] == "P")
        reference = oracle.frame(tree[inside[1]], False) if len(inside) > 1 else (0, pin.SE3.Identity())
        return [oracle.relative(frame, reference)[name]]
    if name == "derivative":
        derivatives = oracle.inverse_derivatives() if inside[0] == "inverse" else oracle.forward_derivatives()
        return [derivatives[{"q": 0, "qd": 1, "qdd": 2, "effort": 2}[inside[1]]]]
    if name == "operational_inertia":
        j = oracle.jacobian(oracle.frame(tree[inside[0]], True))
        inverse = j @ oracle.matrix(oracle.inverse_mass()) @ j.T
        return {"inertia": ("inverse of", inverse), "inverse_inertia": inverse}
    mass, com, velocity, spin = oracle.whole()
    moving = np.array(tree["qd"])
    table = {
        "inverse": lambda: [oracle.vector(oracle.inverse())],
        "mass": lambda: [oracle.matrix(oracle.mass())],
        "bias": lambda: [oracle.vector(oracle.bias())],
        "gravity": lambda: [oracle.vector(oracle.gravity())],
        "coriolis": lambda: [oracle.vector(oracle.coriolis())],
        "coriolis_matrix": lambda: [("times qd", oracle.vector(oracle.coriolis()))],
        "forward": lambda: [oracle.vector(oracle.forward())],
        "inverse_mass": lambda: [oracle.matrix(oracle.inverse_mass())],
        "com": lambda: [com],
        "com_velocity": lambda: [velocity],
        "momentum": lambda: [mass * velocity, spin],
        "kinetic_energy": lambda: [[moving @ oracle.matrix(oracle.mass()) @ moving / 2]],
        "potential_energy": lambda: [[-mass * com @ np.array(tree["gravity"])]],
        "rates": lambda: [oracle.rates()],
        "reactions": lambda: [oracle.reactions()],
        "regressor": lambda: [("times parameters", oracle.vector(oracle.inverse()))],
        "parameters": lambda: [oracle.parameters()],
    }
    return table[name]() if name in table else None


def error(found, wanted, oracle):
    """The largest difference over the largest magnitude."""
    if isinstance(wanted, tuple):
        how, wanted = wanted
        if how == "times qd":
            found = found @ np.array(oracle.tree["qd"])
        elif how == "times parameters":
            given = [one["outputs"] for one in oracle.tree["results"] if one["function"] == "parameters"]
            found = found @ np.array(next(iter(given[0].values())), dtype=float).ravel()
        elif np.linalg.cond(wanted) > 1e8:
            # A place that cannot move in some direction has no inertia there.
            return 0.0, 0
        else:
            # Relative to the terms of the product, which should be the identity.
            size = np.max(np.abs(found) @ np.abs(wanted))
            found, wanted = found @ wanted / size, np.eye(len(wanted)) / size
            return float(np.max(np.abs(found - wanted))), 0
    wanted = np.asarray(wanted, dtype=float)
    found = np.asarray(found, dtype=float).reshape(wanted.shape)
    size = max(np.max(np.abs(wanted), initial=0.0), SMALL)
    difference = np.abs(found - wanted)
    if not np.all(np.isfinite(found)):
        return np.inf, 0
    worst = int(np.argmax(difference)) if difference.size else 0
    largest = float(difference.ravel()[worst]) if difference.size else 0.0
    return largest / size, worst


def main(path):
    summary, failures, trees = {}, [], 0
    with open(path) as lines:
        for line in lines:
            tree = json.loads(line)
            trees += 1
            compare(Oracle(tree), summary, failures)
    report(trees, summary, failures)
    return 1 if failures or not trees else 0


def compare(oracle, summary, failures):
    tree = oracle.tree
    known = {}
    for result in tree["results"]:
        function, formalism = result["function"], result["formalism"]
        if function not in known:
            known[function] = expected(oracle, function)
        wanted, outputs = known[function], list(result["outputs"].items())
        key = function, formalism
        if wanted is None:
            summary.setdefault(key, [0, None, None])
            continue
        row = summary.setdefault(key, [0, 0.0, None])
        row[0] += 1
        if isinstance(wanted, dict):
            wanted = [wanted[name] for name, _ in outputs]
        if len(wanted) != len(outputs):
            failures.append(f"seed {tree['seed']}: {function} {formalism} has {len(outputs)} outputs, not {len(wanted)}")
            continue
        for (name, found), want in zip(outputs, wanted):
            off, at = error(np.array(found, dtype=float), want, oracle)
            if off > row[1]:
                row[1], row[2] = off, tree["seed"]
            if not off <= TOLERANCE:
                failures.append(f"seed {tree['seed']}: {function} {formalism}: element {at} of {name} is off by {off:.1e}")


def report(trees, summary, failures):
    print(f"Pinocchio {pin.__version__} on {trees} random trees, tolerance {TOLERANCE:g} of the largest magnitude")
    print(f"{'function':<28} {'formalism':<12} {'cases':>5}  worst error")
    for (function, formalism), (cases, off, seed) in summary.items():
        text = "no counterpart" if off is None else f"{off:.1e}" + (f"  seed {seed}" if seed else "")
        print(f"{function:<28} {formalism:<12} {cases:>5}  {text}")
    for failure in failures[:20]:
        print("FAILED", failure)
    if len(failures) > 20:
        print(f"and {len(failures) - 20} more")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
