"""Writes the meshes of the desk lamp: python3 meshes.py. Lengths are metres, z is up."""

import math
import struct
from pathlib import Path

HERE = Path(__file__).parent / "meshes"


def lathe(profile, sides):
    """A solid of revolution around z from radii and heights, upwards along its outside: quadrilaterals."""
    vertices, faces, rings = [], [], []
    for radius, height in profile:
        if radius == 0:
            rings.append([len(vertices)] * sides)
            vertices.append((0.0, 0.0, height))
            continue
        rings.append(range(len(vertices), len(vertices) + sides))
        for side in range(sides):
            angle = 2 * math.pi * side / sides
            vertices.append((radius * math.cos(angle), radius * math.sin(angle), height))
    for below, above in zip(rings, rings[1:]):
        for side in range(sides):
            after = (side + 1) % sides
            corners = [below[side], below[after], above[after], above[side]]
            faces.append([corner for at, corner in enumerate(corners) if corner not in corners[:at]])
    return vertices, faces


def moved(part, offset, axis="z"):
    """A part in another place, its z axis along another one."""
    turn = {"z": lambda x, y, z: (x, y, z), "x": lambda x, y, z: (z, x, y), "y": lambda x, y, z: (y, z, x)}[axis]
    vertices, faces = part
    return [tuple(a + b for a, b in zip(turn(*vertex), offset)) for vertex in vertices], faces


def joined(*parts):
    vertices, faces = [], []
    for own, quads in parts:
        faces += [[corner + len(vertices) for corner in face] for face in quads]
        vertices += own
    return vertices, faces


def triangles(part):
    vertices, faces = part
    for face in faces:
        for b, c in zip(face[1:], face[2:]):
            yield [vertices[face[0]], vertices[b], vertices[c]]


def rod(radius, length, sides=16):
    return lathe([(0, 0), (radius, 0), (radius, length), (0, length)], sides)


base = lathe(
    [(0, 0), (0.088, 0), (0.09, 0.004), (0.088, 0.012), (0.03, 0.022), (0.016, 0.03), (0.014, 0.06), (0, 0.06)], 48
)
# Two bars along x between round ends; the joint at the origin turns about y.
arm = joined(
    *(moved(rod(0.004, 0.25), (0, side, 0), "x") for side in (-0.011, 0.011)),
    *(moved(rod(0.013, 0.034, 24), (x, -0.017, 0), "y") for x in (0, 0.25)),
)
# A shade that opens along x, with an inside, and the socket behind it.
outside = [(0, -0.035), (0.015, -0.035), (0.018, 0.0), (0.05, 0.05), (0.062, 0.1)]
inside = [(0.06, 0.1), (0.048, 0.051), (0.015, 0.004), (0, 0.004)]
shade = moved(lathe(outside + inside, 40), (0.02, 0, 0), "x")


def write_stl(name, part):
    all_triangles = list(triangles(part))
    data = b"desk lamp".ljust(80) + struct.pack("<I", len(all_triangles))
    for corners in all_triangles:
        data += struct.pack("<12fH", 0, 0, 0, *(x for corner in corners for x in corner), 0)
    (HERE / name).write_bytes(data)


def write_obj(name, part):
    vertices, faces = part
    lines = ["# An arm of the desk lamp."]
    lines += ["v " + " ".join(f"{x:.6g}" for x in vertex) for vertex in vertices]
    lines += ["f " + " ".join(str(corner + 1) for corner in face) for face in faces]
    (HERE / name).write_text("\n".join(lines) + "\n")


def write_dae(name, part):
    vertices, faces = part
    numbers = " ".join(f"{x:.6g}" for vertex in vertices for x in vertex)
    corners = [corner for face in faces for b, c in zip(face[1:], face[2:]) for corner in (face[0], b, c)]
    (HERE / name).write_text(
        f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="meter" meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="shade"><mesh>
<source id="places"><float_array id="numbers" count="{3 * len(vertices)}">{numbers}</float_array>
<technique_common><accessor source="#numbers" count="{len(vertices)}" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="corners"><input semantic="POSITION" source="#places"/></vertices>
<triangles count="{len(corners) // 3}"><input semantic="VERTEX" source="#corners" offset="0"/>
<p>{" ".join(map(str, corners))}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene"><node id="node"><instance_geometry url="#shade"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
"""
    )


HERE.mkdir(exist_ok=True)
write_stl("base.stl", base)
write_obj("arm.obj", arm)
write_dae("shade.dae", shade)
