"""Entry point of the command ``supple``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

import supple
from supple.checks import Array
from supple.cli.robots import cable_manipulator

if TYPE_CHECKING:
    from supple.model.model import Model

#: Largest error that ``supple check`` accepts, relative to the largest entry of the matrix.
TOLERANCE = 1e-6

app = typer.Typer(
    help="Differentiable simulation of hybrid soft-rigid robots.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"supple {supple.__version__}")
        raise typer.Exit()


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Differentiable simulation of hybrid soft-rigid robots."""


@app.command()
def info() -> None:
    """Describe the 24-dof cable manipulator: its links, its size, where its tip is at rest."""
    console = Console(highlight=False)
    robot = cable_manipulator()
    console.print(str(robot), markup=False, soft_wrap=True)
    model = robot.compile()
    tip = ", ".join(f"{x:.3f}" for x in model.pose(model.rest, "arm")[:3, 3])
    lowest = ", ".join(f"{frequency:.2f}" for frequency in _frequencies(model)[:4])
    console.print()
    console.print(f"coordinates            {model.coordinate_names[0]} ... {model.coordinate_names[-1]}")
    console.print(f"computational points   {len(model.point_table)} (base, Gauss nodes, tip)")
    console.print(f"tip at rest            ({tip}) m")
    console.print(f"lowest frequencies     {lowest} Hz (undamped, without gravity)")


def _frequencies(model: Model) -> Array:
    """Natural frequencies in Hz about the rest configuration, ascending: K x = (2 pi f)^2 M x."""
    factor = np.linalg.inv(np.linalg.cholesky(model.mass_matrix(model.rest)))
    squares = np.linalg.eigvalsh(factor @ model.stiffness @ factor.T)
    return np.sqrt(np.maximum(squares, 0.0)) / (2.0 * np.pi)


@app.command()
def check(
    seed: Annotated[int, typer.Option(help="Seed of the random state.")] = 0,
    tolerance: Annotated[float, typer.Option(help="Largest relative error accepted.")] = TOLERANCE,
) -> None:
    """Compare the derivatives of the cable manipulator with central differences; fail if one is off."""
    from supple.cli.check import compare_derivatives

    console = Console(highlight=False, soft_wrap=True)
    console.print("Checking the derivatives of the 24-dof cable manipulator.")
    console.print("The first run on a machine compiles the kernels (one to two minutes); later runs load them.")
    start = time.perf_counter()
    comparisons = compare_derivatives(cable_manipulator().compile(), seed)
    table = Table("quantity", "against", "relative error", "", box=None, pad_edge=False)
    table.columns[2].justify = "right"
    for line in comparisons:
        # written so that a NaN fails
        verdict = "[green]ok[/]" if line.error <= tolerance else "[bold red]off[/]"
        table.add_row(line.quantity, line.reference, f"{line.error:.1e}", verdict)
    console.print()
    console.print(table)
    console.print()
    failures = sum(not line.error <= tolerance for line in comparisons)
    elapsed = time.perf_counter() - start
    console.print(f"{len(comparisons) - failures} of {len(comparisons)} within {tolerance:g} ({elapsed:.1f} s)")
    if failures:
        raise typer.Exit(1)


if __name__ == "__main__":
    app()
