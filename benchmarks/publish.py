"""Write measured tables into the pages that show them: between marker comments, so that the words around stay ours."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import RESULTS
from supple.bench.tables import markdown, read_json, text
from supple.systems import SYSTEMS

ROOT = Path(__file__).parent.parent

#: Order of the subjects in `docs/benchmarks.md`.
SUBJECTS = ("rigid-chains", "soft-robots", "contact", "growth", "jacobians", "solvers", "startup")


def load(folder: Path = RESULTS) -> dict[str, dict[str, Any]]:
    """Contents of the JSON files by subject, with tables as `Table`."""
    contents = (read_json(path) for path in sorted(folder.glob("*.json")))
    return {content["subject"]: content for content in contents}


def fill(path: Path, marker: str, text: str) -> None:
    """Replace what stands between ``<!-- marker -->`` and ``<!-- /marker -->`` in a file."""
    content = path.read_text(encoding="utf-8")
    begin, end = f"<!-- {marker} -->", f"<!-- /{marker} -->"
    if content.count(begin) != 1 or content.count(end) != 1:
        raise ValueError(f"{path.name} must hold {begin} and {end} exactly once")
    head, rest = content.split(begin)
    tail = rest.split(end)[1]
    path.write_text(f"{head}{begin}\n{text.strip()}\n{end}{tail}", encoding="utf-8")


def machine_line(machine: Mapping[str, Any]) -> str:
    """The machine in one sentence, without its name."""
    packages = ", ".join(f"{name} {number}" for name, number in machine["packages"].items() if number)
    system = f"{machine['cores']} cores, {machine['system']}, Python {machine['python']}"
    return f"{machine['processor']}, {system}; {packages}."


def summary(subjects: Mapping[str, Mapping[str, Any]]) -> str:
    """The short table of the README: microseconds, and Pinocchio's where it can do the same."""
    lines = [
        "| robot | ID | ID and its three Jacobians | fused tangent | Pinocchio's Jacobians |",
        "|---|--:|--:|--:|--:|",
    ]
    chains = subjects["rigid-chains"]["tables"][0].rows
    for joints in sorted({row["joints"] for row in chains}):
        rows = {row["operation"]: row for row in chains if row["joints"] == joints}
        ours = [rows[name]["supple"] for name in ("inverse dynamics", "derivatives", "fused tangent")]
        lines.append(_line(f"chain of {joints} revolute joints", [*ours, rows["derivatives"]["pinocchio"]]))
    soft = subjects["soft-robots"]["tables"][0].rows
    for robot in dict.fromkeys(row["robot"] for row in soft):
        times = {row["operation"]: row["time"] for row in soft if row["robot"] == robot}
        lines.append(_line(robot, [times[n] for n in ("inverse dynamics", "derivatives", "fused tangent")] + [None]))
    machine = machine_line(subjects["rigid-chains"]["machine"])
    return "\n".join(lines) + f"\n\nMicroseconds per call from Python, one thread. {machine}"


def _line(name: str, times: Sequence[float | None]) -> str:
    cells = ("cannot" if time is None else f"{1e6 * time:.1f}" for time in times)
    return f"| {name} | " + " | ".join(cells) + " |"


def publish() -> None:
    """Fill `docs/benchmarks.md` and the README from the JSON files."""
    subjects = load()
    if "work-precision" in subjects:
        publish_methods(subjects["work-precision"])
    missing = [name for name in SUBJECTS if name not in subjects]
    if missing:
        raise RuntimeError(f"no results for {', '.join(missing)}: run python -m benchmarks first")
    pages = [machine_line(subjects[SUBJECTS[0]]["machine"]), ""]
    pages += [markdown(table) for name in SUBJECTS for table in subjects[name]["tables"]]
    fill(ROOT / "docs" / "benchmarks.md", "results", "\n".join(pages))
    fill(ROOT / "README.md", "speed", summary(subjects))
    picture = RESULTS / "work_precision.png"
    if picture.exists():
        shutil.copyfile(picture, ROOT / "docs" / "images" / picture.name)
    if "paper" in subjects:
        publish_paper(subjects["paper"])


def publish_methods(found: Mapping[str, Any]) -> None:
    """Fill the page on methods with what errors cost, and its picture."""
    title, _, rest = markdown(found["tables"][0]).partition("\n")
    line = machine_line(found["machine"])
    caption = f"**{title.removeprefix('### ')}**\n{rest}"
    fill(ROOT / "docs" / "choosing-an-integrator.md", "work_precision", f"{caption}\n{line}")
    picture = RESULTS / "work_precision_robots.png"
    if picture.exists():
        shutil.copyfile(picture, ROOT / "docs" / "images" / picture.name)


def publish_paper(paper: Mapping[str, Any]) -> None:
    """Fill `docs/published.md`, and the short tables of the README."""
    line = machine_line(paper["machine"])
    tables = {table.title: table for table in paper["tables"]}
    fill(ROOT / "docs" / "published.md", "results", "\n".join([line, "", *map(markdown, tables.values())]))
    short = [
        "| ten simulated seconds | coordinates | best published | supple | ratio |",
        "|---|--:|--:|--:|--:|",
    ]
    for row in tables["Best method against best method"].rows:
        model = SYSTEMS[row["system"]]().compile()
        times = f"{row['published']:.3g} s | {text(row['ours'], 'milli')} ms | {row['ratio']:.0f} x"
        short.append(f"| {row['system']} | {model.n} | {times} |")
    fill(ROOT / "README.md", "paper", "\n".join(short))
