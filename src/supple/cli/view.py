"""``supple view``: a system in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from supple.cli.catalogue import build
from supple.cli.console import note, say
from supple.cli.options import Name, Settings
from supple.cli.robot_files import is_urdf


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
    import webbrowser

    from supple.studio import view
    from supple.studio.viewing import has_display

    system, model = build(name, settings)
    if motion:
        note("simulating its motion ...")
        trajectory = system.simulate(model)
        studio = view(trajectory, host=host, port=port, dark=dark, open_browser=False, wait=False)
    else:
        q0, v0 = system.start(model)
        limp = is_urdf(name) and not model.nu  # nothing drives it: it would collapse at once
        chosen = ("Pose" if limp else None) if mode is None else mode.capitalize()
        studio = view(
            model, host=host, port=port, dark=dark, open_browser=False, wait=False,
            q0=q0, v0=v0, u=system.u, mode=chosen, span=system.t_end,
        )  # fmt: skip
    with studio:
        say(f"{system.name} is at {studio.url}; close the page or press Ctrl-C to end")
        if not no_browser and has_display():
            webbrowser.open(studio.url)
        studio.wait()
