"""``supple compile``: compile kernels now, which otherwise happens at their first use."""

from __future__ import annotations

from contextlib import nullcontext
from time import perf_counter
from typing import Annotated

import typer

from supple.cli.console import err, say
from supple.cli.progress import Bar


def compile_kernels(
    everything: Annotated[
        bool, typer.Option("--all", help="All kinds of loads, loops, all methods, all functions of a model.")
    ] = False,
) -> None:
    """Compile what a first simulation needs, or everything: once on a machine, for all robots.

    Without this command, kernels are compiled when they are first used. They are kept beside the installation or, if
    that cannot be written to, in the user's folder of caches; SUPPLE_CACHE_DIR names another folder.

    Examples:

    - `supple compile`
    - `supple compile --all`
    - `SUPPLE_CACHE_DIR=/shared/kernels supple compile --all`
    """
    from supple.cli import exercises
    from supple.jit import cache, notices

    begin = perf_counter()
    chosen = exercises.everything() if everything else exercises.first_simulation()
    with Bar("compiling", 0.0, 100.0, " %") if err().is_terminal else nullcontext() as bar:
        notices.shown_elsewhere(bar is not None)
        for i, exercise in enumerate(chosen):
            if bar is not None:
                bar.update(100.0 * i / len(chosen), f", {exercise.name}")
            exercise.call()
    known, made = len(cache.asked_for), len(cache.compiled_here)
    if made:
        say(f"compiled {made} of {known} kernels in {perf_counter() - begin:.0f} s")
    else:
        say(f"everything is there: {known} kernels")
    for folder in sorted(cache.folders_used):
        say(f"kept in {folder}")
    if made and not everything:
        say("`supple compile --all` compiles everything else, too")
