"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

Name: TypeAlias = Annotated[
    str, typer.Argument(metavar="NAME", help="A system, see 'supple list', or a file: .yaml, .json, .urdf, .xml.")
]
Settings: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A parameter of the system; repeatable. See 'supple info NAME'."),
]
Out: TypeAlias = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Folder for the results; ./NAME if omitted.")
]
NoPlots: TypeAlias = Annotated[bool, typer.Option("--no-plots", help="Draw nothing.")]
