"""The gallery: runs every system of `supple.systems`, takes its picture and writes `docs/gallery.md`.

``python -m docs.scripts.gallery`` does all of them (half a minute, and the pictures); with names on the command line it
runs those, and the others keep what the page says of them. ``--no-pictures`` leaves pictures alone.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

import supple as sp
from benchmarks.publish import fill
from docs.scripts import short
from supple.systems import SYSTEMS, System

if TYPE_CHECKING:
    from supple.model.model import Model

DOCS = Path(__file__).parent.parent
PAGE = DOCS / "gallery.md"
PICTURES = DOCS / "images" / "gallery"
#: The front page, its moving picture, and whose that is.
INDEX, FILM, STAR = DOCS / "index.md", DOCS / "images" / "cable-manipulator.gif", "cable-manipulator"

#: Output times of a run, and frames of a strip.
OUTPUTS, FRAMES = 201, 6
#: Largest picture, in bytes, and resolutions to try, in dots per inch.
LARGEST, RESOLUTIONS = 150_000, (150, 120, 100, 80, 60)
#: Colours of a picture.
COLOURS = 256


@dataclass(frozen=True)
class Entry:
    """What the page says of one system."""

    name: str
    text: str  #: one sentence
    note: str  #: what the source leaves open
    source: str
    sizes: str
    method: str
    steps: int
    seconds: float  #: of the processor that the run took
    simulated: float  #: s
    other: str  #: the second method
    apart: float  #: largest distance of watched stations between the two methods, m


# ---------------------------------------------------------------------- measuring


def description(make: Callable[..., System]) -> str:
    """The first paragraph of a system's docstring, without its reference, which the page gives separately."""
    paragraph = " ".join((make.__doc__ or "").strip().partition("\n\n")[0].split())
    return re.sub(r"\s*\(\[[^]]+\][^)]*\)", "", paragraph)


def sizes(model: Model) -> str:
    """Links, coordinates, inputs and loop rows in words."""
    counts = {"link": len(model.link_names), "coordinate": model.n, "input": model.nu, "row of closed loop": model.nc}
    return ", ".join(f"{count} {what if count == 1 else plural(what)}" for what, count in counts.items() if count)


def plural(what: str) -> str:
    """More than one."""
    return "rows of closed loops" if what.startswith("row") else f"{what}s"


def second_method(first: str) -> Any:
    """A method of another family than the first: what two of them agree on is not an artefact of one.

    Both choose their steps. The step of a source may be one that only passes over what is fast.
    """
    return sp.GeneralizedAlpha(rtol=1e-5, atol=1e-7) if first == "NDF" else sp.NDF(rtol=1e-4, atol=1e-7)


def measure(name: str, t_end: float | None = None) -> tuple[Entry, sp.Trajectory, System]:
    """Run a system with its own method and with another one, as long as its source does or until ``t_end``."""
    system = SYSTEMS[name]()
    model = system.compile()
    times = np.linspace(0.0, system.t_end if t_end is None else t_end, OUTPUTS)
    system.simulate(model, times[:2])  # loads kernels, which is not to be timed
    start = process_time()  # of this run alone, whatever else the machine does
    trajectory = system.simulate(model, times)
    seconds = process_time() - start
    kind = trajectory.stats["method"].partition("(")[0]
    other = second_method(kind)
    distance = system.paths(trajectory) - system.paths(system.simulate(model, times, other))
    entry = Entry(
        name=name,
        text=description(SYSTEMS[name]),
        note=system.note,
        source=system.source,
        sizes=sizes(model),
        method=f"`{kind}()`" if system.method is None else short(system.method),
        steps=int(trajectory.stats["steps"]),
        seconds=seconds,
        simulated=float(times[-1]),
        other=short(other),
        apart=float(np.linalg.norm(distance, axis=-1).max(initial=0.0)),
    )
    return entry, trajectory, system


# ---------------------------------------------------------------------- pictures


def save_small(figure: Any, path: Path) -> None:
    """Save a figure as PNG with few colours, at the finest resolution whose file is small enough."""
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    for resolution in RESOLUTIONS:
        drawn = BytesIO()
        figure.savefig(drawn, dpi=resolution, format="png")
        # a palette halves the file; refined by k-means it keeps the colours of thin lines, too
        few = Image.open(drawn).convert("RGB").quantize(COLOURS, method=Image.Quantize.MEDIANCUT, kmeans=1)
        few.save(path, optimize=True)
        if path.stat().st_size <= LARGEST:
            return
    raise ValueError(f"{path.name} has {path.stat().st_size} bytes even at {resolution} dpi, more than {LARGEST}")


def draw(name: str, trajectory: sp.Trajectory, system: System, folder: Path = PICTURES) -> None:
    """A strip of snapshots, and an overview of the motion."""
    from supple import viz

    save_small(viz.snapshots(trajectory, number=FRAMES, watch=system.watch), folder / f"{name}.png")
    save_small(trajectory.plot(watch=system.watch), folder / f"{name}-motion.png")


def film(name: str, trajectory: sp.Trajectory, system: System) -> None:
    """The moving picture of the front page: five seconds, so that the file is small."""
    trajectory.animate(FILM, fps=12, speed=trajectory.t[-1] / 5.0, watch=system.watch)
    fill(INDEX, "film", f"![The {name} moving](images/{FILM.name})")


# ---------------------------------------------------------------------- the page


def linked(text: str) -> str:
    """The text with keys of papers, in brackets or at its beginning, as links to the references."""
    text = re.sub(r"^([A-Z][A-Z0-9-]+)(?=,)", r"[\1]", text)
    return re.sub(r"\[([A-Z][A-Z0-9-]+)\]", r"[\1](references.md)", text)


def section(entry: Entry, has_picture: Callable[[str], bool]) -> str:
    """The part of the page on one system; pictures are shown if they are there."""
    lines = [f"## {entry.name}", "", linked(entry.text), ""]
    for file, caption in ((f"{entry.name}.png", "snapshots"), (f"{entry.name}-motion.png", "the motion")):
        if has_picture(file):
            lines += [f"![{entry.name}: {caption}](images/gallery/{file})", ""]
    factor = entry.simulated / entry.seconds if entry.seconds > 0.0 else float("inf")
    lines += [
        f"| size | {entry.sizes} |",
        "|---|---|",
        f"| method | {entry.method}, {entry.steps} steps |",
        f"| time | {entry.simulated:g} s in {entry.seconds:.2g} s: {factor:.3g} times real time |",
        f"| two methods | {entry.other} puts the watched points at most {1e3 * entry.apart:.2g} mm elsewhere |",
        f"| source | {linked(entry.source)} |",
        "",
        entry.note,
        "",
        "```sh",
        f"supple run {entry.name}",
        "```",
    ]
    return "\n".join(lines)


def kept(page: str) -> dict[str, str]:
    """Sections of a page by the name of their system."""
    inside = page.partition("<!-- systems -->")[2].partition("<!-- /systems -->")[0]
    parts = re.split(r"^## ", inside, flags=re.MULTILINE)
    return {part.partition("\n")[0].strip(): f"## {part.strip()}" for part in parts[1:]}


def update(page: Path, fresh: Mapping[str, str], order: Sequence[str]) -> None:
    """Put fresh sections into the page beside those that it has, in the given order."""
    sections = {**kept(page.read_text(encoding="utf-8")), **fresh}
    fill(page, "systems", "\n\n".join(sections[name] for name in order if name in sections))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the systems that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SYSTEMS)}")
    parser.add_argument("--no-pictures", action="store_true", help="leave pictures alone")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.names if name not in SYSTEMS]
    if unknown:
        parser.error(f"there is no system {unknown[0]!r}; systems are: {', '.join(SYSTEMS)}")
    for name in given.names or SYSTEMS:
        entry, trajectory, system = measure(name)
        if not given.no_pictures:
            draw(name, trajectory, system)
            if name == STAR:
                film(name, trajectory, system)
        update(PAGE, {name: section(entry, lambda file: (PICTURES / file).is_file())}, list(SYSTEMS))
        print(f"{name}: {entry.steps} steps, {entry.seconds:.2g} s, two methods {1e3 * entry.apart:.2g} mm apart")


if __name__ == "__main__":
    main()
