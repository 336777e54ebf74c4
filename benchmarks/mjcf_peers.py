"""``python -m benchmarks.mjcf_peers FOLDER ...``: MJCF files of public robots, ours beside MuJoCo's numbers.

Needs MuJoCo (``pip install mujoco``) and files, which are not ours to give: any folder with some, such as those of

    pip download --no-deps dm_control gymnasium gymnasium-robotics robosuite brax

unpacked (``python -m zipfile -e NAME.whl FOLDER``).  Poses of all bodies and sites, the mass matrix, inverse dynamics,
and forces of springs, dampers and actuators are compared at random states.  What either of the two refuses is told with
its reason, and so is how much was omitted.  Run it from the folder of the repository.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import supple as sp
from supple.errors import SuppleError
from supple.robot.robot import Robot

#: Largest relative difference at which both count as the same robot.
AGREEMENT = 1e-8

#: Words of what is omitted by which forces differ.
FORCES = ("rates of the rotation", "springdamper")


class Outcome(NamedTuple):
    """What came of a file."""

    file: Path
    verdict: str  #: "agrees", "differs", "does not move", "refused by us", "refused by MuJoCo", "refused by both"
    coordinates: int
    inputs: int
    left_out: int
    difference: float
    worst: str  #: what differs most, or the reason of a refusal


def scaled(mine: Any, theirs: Any) -> float:
    """Largest difference relative to the largest entry, or to 1."""
    return float(np.abs(mine - theirs).max(initial=0.0) / max(1.0, np.abs(theirs).max(initial=0.0)))


def compare(file: Path, folder: Path, rng: np.random.Generator) -> Outcome:
    """Compare one file."""
    import mujoco

    robot, theirs, mine, other = None, None, "", ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            robot = sp.load_mjcf(file, shapes="none", limits=False, folder=folder)
    except SuppleError as error:
        mine = str(error)
    try:
        theirs = mujoco.MjModel.from_xml_path(str(file))
    except Exception as error:  # it raises whatever its parser does
        other = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if robot is None or theirs is None:
        by = "both" if robot is None and theirs is None else "us" if robot is None else "MuJoCo"
        return Outcome(file, f"refused by {by}", 0, 0, 0, np.nan, mine or other)
    if theirs.nv == 0:
        return Outcome(file, "does not move", 0, 0, 0, 0.0, "")
    try:
        differences, n, inputs = _differences(robot, theirs, rng)
    except SuppleError as error:
        return Outcome(file, "differs", 0, 0, len(robot.left_out), np.inf, str(error))
    worst = max(differences, key=lambda key: differences[key])
    verdict = "agrees" if differences[worst] < AGREEMENT else "differs"
    return Outcome(file, verdict, n, inputs, len(robot.left_out), differences[worst], worst)


def _differences(robot: Robot, theirs: Any, rng: np.random.Generator) -> tuple[dict[str, float], int, int]:
    """Relative differences by name, coordinates, inputs."""
    import mujoco
    from tests.mujoco_states import MujocoTwin

    if sum("joint" in link.facts for link in robot.links) != theirs.njnt:
        return {f"joints: not MuJoCo's {theirs.njnt}": np.inf}, 0, 0
    twin = MujocoTwin(robot, theirs)
    model, out = twin.model, dict[str, float]()
    known = {*model.link_names, *model.frame_names}
    for _ in range(2):
        x, v, a = 0.6 * rng.standard_normal((3, model.n))
        twin.forward(x, v)
        for kind, count in ((mujoco.mjtObj.mjOBJ_BODY, theirs.nbody), (mujoco.mjtObj.mjOBJ_SITE, theirs.nsite)):
            at, turn = ("xpos", "xmat") if kind == mujoco.mjtObj.mjOBJ_BODY else ("site_xpos", "site_xmat")
            for k in range(count):
                name = mujoco.mj_id2name(theirs, kind, k)
                body = kind == mujoco.mjtObj.mjOBJ_BODY
                if name in known and (body or mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_BODY, name) < 0):
                    pose = model.pose(x, name)
                    theirs_at = np.column_stack([getattr(twin.data, turn)[k].reshape(3, 3), getattr(twin.data, at)[k]])
                    _note(out, f"pose of {name}", scaled(pose[:3], theirs_at))
        N = twin.N(x)
        _note(out, "M", scaled(model.mass_matrix(x), N.T @ twin.mass_matrix(x) @ N))
        if any(isinstance(item, sp.Cable | sp.Spring) for item in robot.items):
            continue  # what they do is an outer force here, and a passive one there
        _note(out, "ID", scaled(model.inverse_dynamics(x, v, a), twin.inverse_dynamics(x, v, a)))
        left = "; ".join(robot.left_out)  # where forces differ by what is told
        if theirs.na == 0 and not theirs.tendon_frictionloss.any() and not any(word in left for word in FORCES):
            _note(out, "tau", _force_difference(twin, x, v, rng))
    return out, model.n, model.nu


def _force_difference(twin: Any, x: np.ndarray, v: np.ndarray, rng: np.random.Generator) -> float:
    """Of springs, dampers and actuators; actuators that were omitted have no input."""
    import mujoco

    u, ctrl = np.abs(rng.standard_normal(twin.model.nu)), np.zeros(twin.theirs.nu)
    names = list(twin.model.input_names)
    left = " ".join(twin.robot.left_out)
    for k in range(twin.theirs.nu):
        name = mujoco.mj_id2name(twin.theirs, mujoco.mjtObj.mjOBJ_ACTUATOR, k) or f"actuator {k}"
        if name in names:
            ctrl[k] = u[names.index(name)]
        elif f"actuator {name!r}" in left:
            twin.theirs.actuator_biastype[k] = 0
    theirs = twin.internal_force(x, v, ctrl)
    return scaled(twin.model.internal_force(x, v, u), theirs)


def _note(out: dict[str, float], what: str, difference: float) -> None:
    out[what] = max(out.get(what, 0.0), difference if np.isfinite(difference) else np.inf)


def files_of(folders: list[Path]) -> Iterator[tuple[Path, Path]]:
    """MJCF files with a world, those of equal content once; and the folder that they were found in."""
    seen: set[str] = set()
    for folder in folders:
        for file in sorted(folder.rglob("*.xml")) if folder.is_dir() else [folder]:
            content = file.read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            if b"<mujoco" in content and b"<worldbody" in content and digest not in seen:
                seen.add(digest)
                yield file, folder


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mjcf_peers", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders with MJCF files, or files")
    parser.add_argument("--quiet", action="store_true", help="only tell what does not agree, and the sums")
    chosen = parser.parse_args()
    counts: Counter[str] = Counter()
    largest = 0.0
    for k, (file, folder) in enumerate(files_of(chosen.folders)):
        outcome = compare(file, folder if folder.is_dir() else file.parent, np.random.default_rng(k))
        counts[outcome.verdict] += 1
        if outcome.verdict == "agrees":
            largest = max(largest, outcome.difference)
        if outcome.verdict not in ("agrees", "does not move") or not chosen.quiet:
            print(
                f"{file.name:40.40} {outcome.verdict:20} n = {outcome.coordinates:3} inputs {outcome.inputs:3} "
                f"omitted {outcome.left_out:3} {outcome.difference:8.1e} {outcome.worst[:220]}",
                flush=True,
            )
    print(", ".join(f"{verdict}: {count}" for verdict, count in counts.most_common()))
    print(f"largest difference of those that agree {largest:.1e}")
    return 1 if counts["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
