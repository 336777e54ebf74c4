"""``supple view``: a system in the browser."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from supple.cli.console import note, say
from supple.cli.gallery import NAMES
from supple.cli.options import Name, Settings
from supple.serving.door import Door
from supple.serving.origins import OWN
from supple.serving.site import Site, has_display

if TYPE_CHECKING:
    from supple.studio.studio import Studio

#: How long a thread may hold Python while another one loads kernels, s.
TURN = 1e-4


def view(
    name: Name,
    settings: Settings = None,
    mode: Annotated[
        str | None,
        typer.Option("--mode", help="How it begins: statics, dynamics, pose; what suits the system if omitted."),
    ] = None,
    motion: Annotated[
        bool, typer.Option("--motion", help="Simulate the system's own motion first, and play it.")
    ] = False,
    dark: Annotated[bool, typer.Option("--dark", help="Dark colours.")] = False,
    host: Annotated[
        str, typer.Option("--host", help="Address to serve at; beyond this machine, the page asks for a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="First port to try.", min=1, max=65535)] = 8080,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open the page, only tell where it is.")
    ] = False,
) -> None:
    """Show a system in the browser: move it by sliders, let it swing, drag it with the mouse.

    Ends when the page is closed, or by Ctrl-C. Over ssh, forward the port (`ssh -L 8080:localhost:8080 ...`) and open
    the address on your side.

    Examples:

    - `supple view cable-manipulator`
    - `supple view fin-ray --mode statics --dark`
    - `supple view arm.yaml`
    """
    # where nothing that was typed can be wrong, the browser loads its page while all else is loaded and made
    sure = name in NAMES and not settings and mode is None and not motion
    door = Door(host, port) if host in OWN else None
    if told := sure and door is not None:
        _tell(name, door.url, not no_browser)
    with _uncollected(), door or nullcontext():
        title, studio = _perform(partial(Site, host, port, dark, door), name, settings, mode, motion, dark)
    with studio:
        if not told:
            _tell(title, studio.url, not no_browser)
        studio.wait()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no garbage in what is loaded and made here, now or later: it lasts, and pictures would be held up."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _tell(title: str, url: str, browser: bool) -> None:
    """Say where the page is, and open it."""
    if browser and has_display():
        import webbrowser

        webbrowser.open(url)
    say(f"{title} is at {url}; close the page or press Ctrl-C to end")


def _perform(
    open_site: Callable[[], Site], name: str, settings: list[str] | None, mode: str | None, motion: bool, dark: bool
) -> tuple[str, Studio]:
    """A studio with the system in it, and what the system is called."""
    from supple.cli.catalogue import build
    from supple.cli.robot_files import is_urdf
    from supple.studio.actor import Options
    from supple.studio.studio import Studio

    with _meanwhile(open_site) as site:
        system, model = build(name, settings)
        if motion:
            note("simulating its motion ...")
            return system.name, Studio([system.simulate(model)], site, Options(dark=dark))
        q0, v0 = system.start(model)
        limp = is_urdf(name) and not model.nu  # nothing drives it: it would collapse at once
        chosen = ("Pose" if limp else None) if mode is None else mode.capitalize()
        options = Options(q0=q0, v0=v0, u=system.u, mode=chosen, span=system.t_end, dark=dark)
        return system.name, Studio([model], site, options)


@contextmanager
def _meanwhile(open_site: Callable[[], Site]) -> Iterator[Callable[[], Site]]:
    """Load viser and open the site in a thread of its own; gives what waits for it.

    Kernels are read, linked or compiled at the same time, for the most part outside of Python.
    """
    with ThreadPoolExecutor(1, "supple studio, opening") as thread, _frequent_turns():
        opening = thread.submit(open_site)
        try:
            yield opening.result
        except BaseException:
            if opening.exception() is None:
                opening.result().stop()
            raise


@contextmanager
def _frequent_turns() -> Iterator[None]:
    """Let threads take turns often: each of thousands of short calls outside of Python waits for one."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
