"""The Runge-Kutta step of MuJoCo, contacts and limits off, beside which the benchmark `step` stands.

    peer.py prepare FOLDER FILE ...     writes each model as FOLDER/NAME.xml
    peer.py run MODEL.xml STEP COUNT    prints the last coordinates, and the nanoseconds of a step

A URDF that is given as `FILE:floating` has a floating base. Meshes and collision shapes are left out.
"""

import pathlib
import sys
import time
import xml.etree.ElementTree as tree

import mujoco


def plain(path: pathlib.Path, floating: bool = False) -> mujoco.MjSpec:
    """A model without anything that is not dynamics."""
    if path.suffix == ".xml":
        spec = mujoco.MjSpec.from_file(str(path))
    else:
        robot = tree.parse(path).getroot()
        for link in robot.iter("link"):
            for shape in link.findall("visual") + link.findall("collision"):
                link.remove(shape)
        for joint in robot.iter("joint"):
            for other in joint.findall("mimic"):
                joint.remove(other)
        links = [link.get("name") for link in robot.iter("link")]
        children = {joint.find("child").get("link") for joint in robot.iter("joint")}
        (root,) = [name for name in links if name not in children]
        if floating:
            tree.SubElement(robot, "link", name="ground")
            joint = tree.SubElement(robot, "joint", name="floating", type="floating")
            tree.SubElement(joint, "parent", link="ground")
            tree.SubElement(joint, "child", link=root)
        spec = mujoco.MjSpec.from_string(tree.tostring(robot, encoding="unicode"))
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.disableflags |= (
        mujoco.mjtDisableBit.mjDSBL_CONTACT
        | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        | mujoco.mjtDisableBit.mjDSBL_LIMIT
    )
    return spec


def prepare(folder: pathlib.Path, paths: list[str]) -> None:
    for text in paths:
        path = pathlib.Path(text.removesuffix(":floating"))
        spec = plain(path, text.endswith(":floating"))
        spec.compile()
        (folder / f"{path.stem}.xml").write_text(spec.to_xml())


def run(path: str, step: float, count: int) -> None:
    model = plain(pathlib.Path(path)).compile()
    model.opt.timestep = step
    data = mujoco.MjData(model)
    data.qvel[:] = 0.1
    mujoco.mj_step(model, data, count)
    print(" ".join(repr(float(x)) for x in data.qpos))
    best = float("inf")
    for _ in range(20):
        mujoco.mj_resetData(model, data)
        data.qvel[:] = 0.1
        begin = time.perf_counter()
        mujoco.mj_step(model, data, count)
        best = min(best, (time.perf_counter() - begin) / count)
    print(best * 1e9)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["prepare", folder, *paths]:
            prepare(pathlib.Path(folder), paths)
        case ["run", path, step, count]:
            run(path, float(step), int(count))
        case _:
            sys.exit(__doc__)
