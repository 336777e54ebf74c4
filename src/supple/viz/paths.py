"""Names of files that pictures and motions are written to."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from supple.checks import shown
from supple.errors import PictureError


def checked_path(path: Any, what: str, endings: Collection[str]) -> Path:
    """Where to write, if the name can be that of a file and ends in one of ``endings``."""
    try:
        target = Path(path)
        target.stat()
    except TypeError:
        raise PictureError(f"path is {shown(path)}, must be the name of a file") from None
    except ValueError as error:  # such as a NUL, or letters that the disk cannot hold
        raise PictureError(f"path is {shown(path)}, which cannot be the name of a file: {error}") from None
    except OSError:
        pass  # it is not there yet; what else is wrong with it shows when it is written
    if target.suffix.lstrip(".").lower() not in endings:
        raise PictureError(
            f"cannot save {what} as {target.name!r}: its name must end in one of {', '.join(sorted(endings))}"
        )
    return target
