"""The folder of a run: what was asked for, the motion, and the checkpoint of a run that has not ended."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from supple.cli.failures import UsageError, usable_folder
from supple.storage import write_text

REQUEST, TRAJECTORY, CHECKPOINT = "run.json", "trajectory.npz", "checkpoint.npz"


@dataclass(frozen=True)
class Request:
    """What a run is asked for; None where the system decides."""

    system: str
    settings: dict[str, str]
    method: str | None = None
    t_end: float | None = None
    dt: float | None = None
    rtol: float | None = None
    atol: float | None = None

    def option(self, name: str) -> str:
        """A field as users write it."""
        named = {"system": "NAME", "settings": "--set"}
        return named.get(name, "--" + name.replace("_", "-"))


@dataclass(frozen=True)
class RunFolder:
    """Files of a run."""

    path: Path

    @property
    def trajectory(self) -> Path:
        """The motion."""
        return self.path / TRAJECTORY

    @property
    def checkpoint(self) -> Path:
        """All that an interrupted run needs to go on."""
        return self.path / CHECKPOINT

    def resumed(self, request: Request) -> Request:
        """What the interrupted run in this folder was asked for; what is asked now must agree with it."""
        if not self.checkpoint.exists():
            why = "its run has ended" if self.trajectory.exists() else "there is no interrupted run"
            raise UsageError(f"--resume: nothing to go on with in {self.path}: {why}; omit --resume to begin anew")
        stored = self._read()
        for field in fields(Request):
            asked, kept = getattr(request, field.name), getattr(stored, field.name)
            if asked not in (None, {}, kept):
                raise UsageError(
                    f"--resume: the run in {self.path} has {request.option(field.name)} {_shown(kept)}, not "
                    f"{_shown(asked)}; leave it out to go on, or choose another --out"
                )
        return stored

    def _read(self) -> Request:
        file = self.path / REQUEST
        try:
            return Request(**json.loads(file.read_text(encoding="utf-8"))["request"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"--resume: cannot read what the run was asked for from {file}: {error}; use --restart"
            ) from None

    def begin(self, request: Request, restart: bool) -> None:
        """Make the folder and note what is asked for; an interrupted run in it is not lost unawares."""
        if self.checkpoint.exists() and not restart:
            raise UsageError(
                f"{self.path} holds an interrupted run: --resume goes on with it, --restart throws it away, "
                "--out DIR chooses another folder"
            )
        usable_folder(self.path)
        self.checkpoint.unlink(missing_ok=True)
        self.write(request)

    def write(self, request: Request, **results: Any) -> None:
        """Note what was asked for, and what came out."""
        from supple import __version__

        content = {"supple": __version__, "request": asdict(request), **results}
        write_text(self.path / REQUEST, json.dumps(content, indent=2) + "\n")


def _shown(value: Any) -> str:
    if value is None:
        return "omitted"
    return " ".join(f"{key}={x}" for key, x in value.items()) if isinstance(value, dict) else f"{value}"
