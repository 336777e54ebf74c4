"""``supple convert``: a robot from one kind of file to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from supple.cli.catalogue import make
from supple.cli.console import say
from supple.cli.options import Name, Settings
from supple.robot.summary import counted


def convert(
    name: Name,
    target: Annotated[Path, typer.Argument(metavar="FILE", help="File to write: .yaml, .yml or .json.")],
    settings: Settings = None,
) -> None:
    """Write the robot of a file, or of a system, to a model file.

    Parameters of a file are replaced by their values, and files that it includes become part of it.

    Examples:

    - `supple convert panda.urdf panda.yaml`
    - `supple convert panda.urdf floating.json --set base=free`
    - `supple convert humanoid.xml humanoid.yaml --set armature=false`
    - `supple convert cable-manipulator arm.yaml`
    """
    robot = make(name, settings).robot
    robot.save(target)
    loads = f" and {counted(len(robot.items), 'load')}" if robot.items else ""
    say(f"saved {target}: {counted(len(robot.links), 'link')}{loads}")
