"""``python -m benchmarks.urdf_peers FOLDER ...``: URDF files of public robots, ours beside Pinocchio's numbers.

Needs Pinocchio (``pip install pin``) and files, which are not ours to give: any folder with some, such as those of

    pip download --no-deps example-robot-data pybullet mani-skill rtb-data jrl

unpacked (``python -m zipfile -e NAME.whl FOLDER``).  Every file is read with a fixed and with a free base; poses of all
links, the mass matrix, inverse dynamics and its derivatives are compared at random states, joints that mimic others
by G^T (...) G with Pinocchio's numbers of all joints.  What either of the two refuses is told with its reason.
Run it from the folder of the repository: it takes the states of the two libraries from the tests.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import supple as sp
from supple.errors import SuppleError
from supple.robot.robot import Robot

#: Largest relative difference at which both count as the same robot.
AGREEMENT = 1e-10

_MIMIC = re.compile(rb"<mimic\b[^>]*?(/>|>\s*</mimic\s*>)", re.DOTALL)


class Outcome(NamedTuple):
    """What came of a file with one base."""

    file: Path
    base: str
    verdict: str  #: "agrees", "differs", "does not move", "refused by us", "refused by Pinocchio", "refused by both"
    coordinates: int
    followers: int
    difference: float
    worst: str  #: what differs most, or the reason of a refusal
    seconds: float  #: of reading the file


def scaled(mine: Any, theirs: Any) -> float:
    """Largest difference relative to the largest entry, or to 1."""
    return float(np.abs(mine - theirs).max(initial=0.0) / max(1.0, np.abs(theirs).max(initial=0.0)))


def compare(file: Path, base: str, rng: np.random.Generator) -> Outcome:
    """Compare one file."""
    robot, mine, seconds = None, "", perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            robot = sp.load_urdf(file, base, shapes="none")
    except SuppleError as error:
        mine = str(error)
    seconds = perf_counter() - seconds
    theirs, other = _pinocchio(file, base)
    if robot is None or theirs is None:
        by = "both" if robot is None and theirs is None else "us" if robot is None else "Pinocchio"
        return Outcome(file, base, f"refused by {by}", 0, 0, np.nan, mine or other, seconds)
    if theirs.nv == 0:
        return Outcome(file, base, "does not move", 0, 0, 0.0, "", seconds)
    differences = _differences(file, base, robot, theirs, rng)
    worst = max(differences, key=lambda key: differences[key])
    verdict = "agrees" if differences[worst] < AGREEMENT else "differs"
    n = robot.compile().n
    return Outcome(file, base, verdict, n, len(robot.couplings), differences[worst], worst, seconds)


def _pinocchio(file: Path, base: str) -> tuple[Any, str]:
    """Pinocchio's model without mimicking, or why it has none."""
    import pinocchio as pin

    try:
        return pin.buildModelFromUrdf(str(file), *([pin.JointModelFreeFlyer()] if base == "free" else [])), ""
    except Exception as error:  # it raises whatever its parser does
        return None, str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def _differences(file: Path, base: str, robot: Robot, theirs: Any, rng: np.random.Generator) -> dict[str, float]:
    """Relative differences by name."""
    import pinocchio as pin
    from tests.pinocchio_states import Twin

    apart = _without_mimic(file, base) if robot.couplings else robot
    model, every = robot.compile(), apart.compile()
    G, c = _expansion(robot, model, every)
    twin = Twin(every, apart, theirs)
    if every.n != theirs.nv:
        return {f"coordinates: {every.n}, Pinocchio's {theirs.nv}": np.inf}
    bodies = {frame.name for frame in theirs.frames if frame.type == pin.FrameType.BODY}
    out: dict[str, float] = {}
    for _ in range(2):
        x, v, a = 0.6 * rng.standard_normal((3, model.n))
        q = G @ x + c
        pin.framesForwardKinematics(theirs, twin.data, twin.q(q))
        for own in (*model.link_names, *model.frame_names):
            if own in bodies:
                pose = twin.data.oMf[theirs.getFrameId(own, pin.BODY)].homogeneous
                _note(out, f"pose of {own}", scaled(model.pose(x, own, 0.0), pose))
        _note(out, "M", scaled(model.mass_matrix(x), G.T @ twin.mass_matrix(q) @ G))
        _note(out, "ID", scaled(model.inverse_dynamics(x, v, a), G.T @ twin.inverse_dynamics(q, G @ v, G @ a)))
        slopes = twin.derivatives(q, G @ v, G @ a)
        _, by_q, by_v, _ = model.inverse_dynamics_derivatives(x, v, a)
        for what, ours, other in zip(("dID/dq", "dID/dv"), (by_q, by_v), slopes, strict=True):
            _note(out, what, scaled(ours, G.T @ other @ G))
    return out


def _note(out: dict[str, float], what: str, difference: float) -> None:
    out[what] = max(out.get(what, 0.0), difference if np.isfinite(difference) else np.inf)


def _without_mimic(file: Path, base: str) -> Robot:
    """The same robot with all its joints moving on their own."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        copy = Path(folder) / "apart.urdf"
        copy.write_bytes(_MIMIC.sub(b"", file.read_bytes()))
        return sp.load_urdf(copy, base, shapes="none")


def _expansion(robot: Robot, model: Any, every: Any) -> tuple[np.ndarray, np.ndarray]:
    """G (all, n) and c (all,) of q = G x + c."""
    names = list(model.coordinate_names)
    followers = {coupling.follower: coupling for coupling in robot.couplings}
    G, c = np.zeros((every.n, model.n)), np.zeros(every.n)
    for row, name in enumerate(every.coordinate_names):
        link = name.rpartition(".")[0]
        if link not in followers:
            G[row, names.index(name)] = 1.0
            continue
        coupling = followers[link]
        (leader,) = coupling.leaders
        column = next(k for k, own in enumerate(names) if own.rpartition(".")[0] == leader)
        G[row, column], c[row] = coupling.weights[0], coupling.offset
    return G, c


def files_of(folders: list[Path]) -> Iterator[Path]:
    """URDF files, those of equal content once."""
    seen: set[str] = set()
    for folder in folders:
        for file in sorted(folder.rglob("*.urdf")) if folder.is_dir() else [folder]:
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            if digest not in seen:
                seen.add(digest)
                yield file


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.urdf_peers", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders with URDF files, or files")
    parser.add_argument("--quiet", action="store_true", help="only tell what does not agree, and the sums")
    parser.add_argument("--most", type=int, default=10**9, help="read so many files")
    chosen = parser.parse_args()
    counts: Counter[str] = Counter()
    largest, slowest = 0.0, 0.0
    for k, file in enumerate(files_of(chosen.folders)):
        if k == chosen.most:
            break
        for base in ("fixed", "free"):
            outcome = compare(file, base, np.random.default_rng([k, base == "free"]))
            counts[outcome.verdict] += 1
            slowest = max(slowest, outcome.seconds)
            if outcome.verdict == "agrees":
                largest = max(largest, outcome.difference)
            if outcome.verdict not in ("agrees", "does not move") or not chosen.quiet:
                print(
                    f"{file.name:40.40} {base:5} {outcome.verdict:22} n = {outcome.coordinates:3} "
                    f"followers {outcome.followers:2} {outcome.difference:8.1e} {outcome.worst[:200]}",
                    flush=True,
                )
    print(", ".join(f"{verdict}: {count}" for verdict, count in counts.most_common()))
    print(f"largest difference of those that agree {largest:.1e}; slowest file read in {slowest:.2f} s")
    return 1 if counts["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
