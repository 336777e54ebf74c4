"""A public name with good arguments, and what is done with what it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A public function or class, good arguments, and what is done with the result."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, Any]
    use: Callable[[Any], Any] = lambda made: made
    slow: bool = False  #: pictures: tried less often
