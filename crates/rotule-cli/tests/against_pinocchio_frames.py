"""Pixels of mesh vertices against an independent projection from Pinocchio's frames.

Arguments: a URDF file, the folder of its packages, the output of the example `pixels`, the width and the height of
the picture. Pinocchio reads the robot and, by way of coal and assimp, its meshes; 50 vertices at random are placed by
its kinematics and projected by the pinhole formula. Each must be a corner of ours, in the frame of its link to 1e-5 of
the robot's size, and on the picture within a pixel. Prints the worst error.
"""

import json
import random
import sys

import numpy as np
import pinocchio as pin

urdf, folder, found, width, height = sys.argv[1:6]
width, height = float(width), float(height)
with open(found, encoding="utf-8") as file:
    ours = json.load(file)

model = pin.buildModelFromUrdf(urdf)
visual = pin.buildGeomFromUrdf(model, urdf, pin.GeometryType.VISUAL, package_dirs=[folder])
data, placed = model.createData(), visual.createData()

q = pin.neutral(model)
for joint, name in enumerate(model.names):
    if name in ours["q"]:
        at, angle = model.joints[joint].idx_q, ours["q"][name]
        if model.joints[joint].nq == 2:
            q[at], q[at + 1] = np.cos(angle), np.sin(angle)
        else:
            q[at] = angle
pin.framesForwardKinematics(model, data, q)
pin.updateGeometryPlacements(model, data, visual, placed)

# Our corners by links.
links = {}
for body, _, x, y, z, u, v in ours["corners"]:
    links.setdefault(body, []).append((x, y, z, u, v))
links = {body: np.array(rows) for body, rows in links.items()}

eye, right, top, back = (np.array(ours[key]) for key in ("eye", "right", "top", "back"))


def pixel(point):
    offset = point - eye
    scale = height / 2 / (ours["opening"] * -(offset @ back))
    return np.array([width / 2 + scale * (offset @ right), height / 2 - scale * (offset @ top)])


# Vertices of meshes in the frames of their links, and in the world.
vertices = []
for number, geometry in enumerate(visual.geometryObjects):
    frame = geometry.parentFrame
    link = model.frames[frame].name
    shape = geometry.geometry
    if not hasattr(shape, "vertices") or link not in links:
        continue
    in_link = data.oMf[frame].inverse() * placed.oMg[number]
    # Pinocchio hands the scale of a mesh to the reader of its file.
    for vertex in np.asarray(shape.vertices()):
        vertices.append((link, in_link.act(vertex), placed.oMg[number].act(vertex)))

size = np.ptp(np.array([world for _, _, world in vertices]), axis=0).max()
chosen = random.Random(1).sample(vertices, min(50, len(vertices)))
assert len(chosen) == 50, f"{urdf} has {len(chosen)} vertices"
worst, farthest = 0.0, 0.0
for link, inside, world in chosen:
    corners = links[link]
    distances = np.linalg.norm(corners[:, :3] - inside, axis=1)
    nearest = distances.argmin()
    off = np.abs(corners[nearest, 3:] - pixel(world)).max()
    worst, farthest = max(worst, off), max(farthest, distances[nearest])
print(
    f"{len(vertices)} vertices of {len(links)} links; of {len(chosen)} the worst is off by {worst:.2g} pixels, "
    f"{farthest:.2g} m of {size:.2g} m"
)
assert farthest < 1e-5 * size, "a vertex of Pinocchio's is no corner of ours"
assert worst < 1.0, "a vertex is drawn elsewhere"
