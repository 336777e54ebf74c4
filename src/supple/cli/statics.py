"""``supple statics``: where a system comes to rest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from supple.checks import finite_float
from supple.cli import pictures
from supple.cli.catalogue import build
from supple.cli.console import figures, heading, say, table
from supple.cli.describe import inputs_at, station, vector, watched
from supple.cli.failures import usable_folder
from supple.cli.options import Name, NoPlots, Out, Settings
from supple.cli.values import numbers, pairs, read
from supple.errors import ConvergenceError
from supple.storage import write_npz
from supple.systems import System

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.statics.equilibrium import Equilibrium


def statics(
    name: Name,
    u: Annotated[
        str | None,
        typer.Option("--u", metavar="VALUES", help="Inputs instead of the system's: 5,0,0 or input=5,other=3."),
    ] = None,
    t: Annotated[float, typer.Option("--t", help="Time at which laws of inputs and loads are taken, s.")] = 0.0,
    settings: Settings = None,
    out: Out = None,
    no_plots: NoPlots = False,
) -> None:
    """Find the equilibrium of a system under its inputs at a time, or under inputs that you give.

    The folder ./NAME (or --out) gets equilibrium.npz and statics.png.

    Examples:

    - `supple statics cable-manipulator --t 2.5`
    - `supple statics cable-manipulator --u 8,0,0,0,2`
    - `supple statics cable-manipulator --u cable1=8,cable5=2`
    """
    from supple.solvers.statics.search import find

    system, model = build(name, settings)
    time = finite_float(t, "--t")
    inputs = inputs_at(system, model, time) if u is None else _given_inputs(u)
    found = find(model, inputs, system.start(model)[0], time)
    if not found.converged:
        raise ConvergenceError(found.message)
    _tell(system, model, found)
    folder = usable_folder(Path(system.name) if out is None else out)
    say(f"saved {_save(found, folder / 'equilibrium.npz')}")
    if not no_plots and pictures.can_draw():
        say(f"saved {pictures.draw_equilibrium(found, folder)}")


def _given_inputs(text: str) -> Any:
    """Inputs as written: numbers in order, or some of them by name."""
    if "=" not in text:
        return numbers(text, "--u")
    named = pairs([part.strip() for part in text.split(",")], "--u")
    return {name: read(value, float, f"--u {name}") for name, value in named.items()}


def _stability(found: Equilibrium) -> str:
    """yes, no or unknown."""
    return "unknown" if found.stable is None else "yes" if found.stable else "no"


def _tell(system: System, model: Model, found: Equilibrium) -> None:
    smallest = found.smallest_eigenvalue
    lines = [
        ("equilibrium", found.message),
        ("largest unbalanced force", f"{found.residual:.1e}"),
        ("stable", f"{_stability(found)} (smallest eigenvalue of the stiffness {smallest:.4g})"),
    ]
    if model.nc:
        lines.append(("error of loops", f"{found.loop_error:.1e} (rad, m)"))
    lines += [
        (station(link, s), vector(model.pose(found.q, link, s)[:3, 3], "m")) for link, s in watched(system, model)
    ]
    figures(lines)
    if model.nu:
        heading("Inputs")
        table(("input", "value"), [(x, f"{y:g}") for x, y in zip(model.input_names, found.u, strict=True)], ("value",))
    if model.prescribed:
        heading("Efforts of prescribed joints (N m, N)")
        names = [model.coordinate_names[i] for joint in model.prescribed for i in joint.coordinates]
        rows = [(x, f"{y:.6g}") for x, y in zip(names, found.efforts, strict=True)]
        table(("coordinate", "effort"), rows, ("effort",))
    if model.nc:
        heading("Wrenches of loops, in their frames (N m, N)")
        columns = ("mx", "my", "mz", "fx", "fy", "fz")
        wrenches = {loop.name: found.multipliers[loop.name] for loop in model.loops}
        table(("loop", *columns), [(x, *(f"{y:.4g}" for y in wrench)) for x, wrench in wrenches.items()], columns)


def _save(found: Equilibrium, path: Path) -> Path:
    arrays = {"q": found.q, "u": found.u, "t": found.t, "efforts": found.efforts, "residual": found.residual}
    texts = {"kind": "equilibrium", "description": found.model.description}
    return write_npz(path, {**arrays, **texts, "multipliers": np.asarray(found.multipliers)})
