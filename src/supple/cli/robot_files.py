"""Files where commands take the name of a system: URDF, MJCF and model files, as systems that begin at rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from supple.files import MJCF, load, load_mjcf, load_urdf
from supple.systems import System

#: How files end that commands take.
ENDINGS = (".urdf", ".yaml", ".yml", ".json", *MJCF)

#: How long a robot of a file is simulated, s, if nobody says.
T_END = 1.0


def is_file(name: str) -> bool:
    """Whether a name is that of a file."""
    return Path(name).suffix.lower() in ENDINGS


def is_urdf(name: str) -> bool:
    """Whether a name is that of a URDF file."""
    return Path(name).suffix.lower() == ".urdf"


class FileMaker:
    """A file as a system: what `supple.cli.catalogue.find` gives for it."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.is_urdf, self.is_mjcf = is_urdf(path), self.path.suffix.lower() in MJCF

    @property
    def description(self) -> str:
        """What it is."""
        return f"the robot of {self.path}"

    def parameters(self) -> dict[str, tuple[Any, Any]]:
        """What ``--set`` accepts: annotation and default by name."""
        if self.is_urdf:
            return {"base": (Literal["fixed", "free"], "fixed"), "limits": (bool, True), "merge": (bool, True)}
        if self.is_mjcf:
            return dict.fromkeys(("limits", "armature", "merge"), (bool, True))
        from supple.files.model_files import default_parameters

        defaults = default_parameters(self.path)
        kinds = {name: tuple[float, ...] if isinstance(value, list) else float for name, value in defaults.items()}
        flat = {name: value for name, value in defaults.items() if not _is_nested(value)}
        return {name: (kinds[name], value) for name, value in flat.items()}

    def __call__(self, **values: Any) -> System:
        """The system."""
        read: Any = load_urdf if self.is_urdf else load_mjcf if self.is_mjcf else load
        robot = read(self.path, **values)
        return System(self.path.stem, robot, T_END)


def _is_nested(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(entry, list) for entry in value)
