"""Telling that kernels are compiled, what for and about how long, on stderr and only when it happens.

Silent with ``SUPPLE_QUIET=1``, or after ``logging.getLogger("supple").setLevel("WARNING")``.
"""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from pathlib import Path

#: Kernels that take long: what they are for, and seconds of compiling on a common machine.
LONG = {
    "core.residual._residual": ("equations of motion and their tangent", 15),
    "core.inverse_dynamics_derivatives.inverse_dynamics_derivatives": ("derivatives of inverse dynamics", 10),
    "core.internal_force.internal_force_derivatives": ("derivatives of internal forces", 8),
    "core.parameter_gradient._parameter_gradient": ("gradients by parameters", 13),
    "core.jacobian_products._transposed_jacobians": ("gradients of motions of large robots", 4),
    "core.tangent_products.tangent_product": ("products of the tangent with vectors", 6),
    "solvers.stage.calls._stage": ("Newton's method of implicit solvers", 6),
    "solvers.integrators.ndf.step.parts": ("the solver NDF", 5),
    "solvers.integrators.implicit_loop.step.parts": ("implicit solvers", 4),
    "solvers.integrators.one_step.implicit_step": ("one step of implicit solvers", 3),
    "solvers.integrators.radau.step.parts": ("the solver Radau", 15),
    "solvers.integrators.explicit.step.parts": ("explicit solvers", 3),
    "core.loops._constraint_rows": ("loops", 5),
    "loads.contact.kernel._contacts": ("contact", 5),
    "core.dormant_folding._fold_stations": ("contact of rods", 5),
    "readouts.kernels._contact_pairs": ("read-outs of contacts", 4),
    "loads.fluid.fluid._fluid": ("water", 3),
    "loads.lines.spans._paths": ("cables and elastic tendons", 3),
    "loads.lines.members._member_paths": ("tendons and cavities of soft bodies", 8),
    "loads.user.kernels._point_laws": ("laws of your own", 3),
}

BEGIN = (
    "compiling kernels, once on this machine: about {first} s for a first simulation, a few more for every further "
    "kind of load (`supple compile --all` compiles everything now; SUPPLE_QUIET=1 hides this)"
)
#: Seconds of what a first simulation needs.
FIRST = 40

_told: set[str] = set()
_elsewhere = False
_reason = ""


def is_quiet() -> bool:
    """Whether nothing is to be told."""
    return os.environ.get("SUPPLE_QUIET", "") not in ("", "0") or logging.getLogger("supple").level > logging.INFO


def tell(text: str) -> None:
    """Print a line, once in this process."""
    if text in _told or is_quiet():
        return
    _told.add(text)
    if sys.stderr is not None:
        with suppress(OSError, ValueError):  # closed: nobody listens
            print(f"supple: {text}", file=sys.stderr, flush=True)


def tell_compiling(name: str) -> None:
    """Tell that a kernel is being compiled: a line at the first of all, and one for each that takes long."""
    if name.startswith("jit."):  # the small test of the compiler itself
        return
    if _reason:
        tell(f"kernels compile several times slower (SUPPLE_JIT=plain), with the same results: {_reason}")
    if _elsewhere:
        return
    tell(BEGIN.format(first=FIRST))
    if name in LONG:
        what, seconds = LONG[name]
        tell(f"compiling {what}, about {seconds} s")


def tell_kept(folder: Path | None) -> None:
    """Tell if what was compiled is not kept, or not for long."""
    from supple.jit.store import is_temporary

    if folder is None:
        tell(
            "no folder to keep compiled kernels in can be written to: every process compiles anew; "
            "set SUPPLE_CACHE_DIR to a folder that can"
        )
    elif is_temporary(folder):
        tell(
            f"compiled kernels are kept in {folder.parent}, which may not last: "
            "set SUPPLE_CACHE_DIR to a folder that does"
        )


def shown_elsewhere(shown: bool) -> None:
    """Whether who called this shows what compiles: then nothing is told about it here."""
    global _elsewhere
    _elsewhere = shown


def explain_plain(reason: str) -> None:
    """Remember why kernels compile the slow way, to tell it when they do."""
    global _reason
    _reason = reason
