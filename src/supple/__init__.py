"""supple: differentiable simulation of hybrid soft-rigid robots."""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import supple.cli.guard  # first: Ctrl-C while the command line imports the rest

if TYPE_CHECKING:
    from supple.everything import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """A public name at its first use: whoever needs only a part of supple, as its commands do, loads only that."""
    if name == "__all__" or not name.startswith("__"):  # tools ask modules for much that begins so
        public: list[str] = import_module("supple.everything").__all__
        own = globals()
        own.update({each: getattr(sys.modules["supple.everything"], each) for each in public}, __all__=public)
        if name in own:
            return own[name]
    raise AttributeError(f"module 'supple' has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*__getattr__("__all__"), *globals()})
