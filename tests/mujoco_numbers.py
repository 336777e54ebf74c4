"""``python tests/mujoco_numbers.py``: MuJoCo's numbers of our MJCF files, stored so that tests need no MuJoCo."""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from mjcf_robots import MESH, ROBOTS, WEIGHED, mesh_of_an_l

FILE = Path(__file__).parent / "data" / "mujoco.npz"


def written(folder, name):
    """A file of a robot, or of the mesh weighed in some way."""
    folder = Path(folder)
    (folder / "l.obj").write_text(mesh_of_an_l(), encoding="utf-8")
    path = folder / f"{name}.xml"
    path.write_text(ROBOTS[name] if name in ROBOTS else MESH.format(how=WEIGHED[name]), encoding="utf-8")
    return path


def states(model, name):
    """q, v, a and inputs of a model."""
    rng = np.random.default_rng([7, sorted([*ROBOTS, *WEIGHED]).index(name)])
    return (*0.6 * rng.standard_normal((3, model.n)), np.abs(rng.standard_normal(model.nu)))


def numbers_of(path, name):
    """M, ID and tau in our coordinates, and poses of bodies and sites by name, from MuJoCo."""
    import mujoco

    import supple as sp
    from mujoco_states import MujocoTwin

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = sp.load_mjcf(path, limits=False)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    twin = MujocoTwin(robot, theirs)
    q, v, a, u = states(twin.model, name)
    N, out = twin.N(q), {}
    out["M"] = N.T @ twin.mass_matrix(q) @ N
    out["ID"] = twin.inverse_dynamics(q, v, a)
    out["tau"] = twin.internal_force(q, v, u)  # inputs are in the order of the file
    for k in range(1, theirs.nbody):
        pose = np.column_stack([twin.data.xmat[k].reshape(3, 3), twin.data.xpos[k]])
        out[f"pose {theirs.body(k).name}"] = pose
    for k in range(theirs.nsite):
        if theirs.site_bodyid[k]:
            pose = np.column_stack([twin.data.site_xmat[k].reshape(3, 3), twin.data.site_xpos[k]])
            out[f"pose {theirs.site(k).name}"] = pose
    return out


def main():
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in (*ROBOTS, *WEIGHED):
            for key, value in numbers_of(written(folder, name), name).items():
                found[f"{name}: {key}"] = value
    np.savez_compressed(FILE, **found)


if __name__ == "__main__":
    sys.exit(main())
