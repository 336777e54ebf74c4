"""supple: differentiable simulation of hybrid soft-rigid robots."""

import importlib as _importlib
import sys as _sys
import typing as _typing

import supple.cli.guard  # first: Ctrl-C while the command line imports the rest

if _typing.TYPE_CHECKING:
    from supple.everything import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> _typing.Any:
    """A public name at its first use: whoever needs only a part of supple, as its commands do, loads only that."""
    if name == "__all__" or not name.startswith("__"):  # tools ask modules for much that begins so
        public: list[str] = _importlib.import_module("supple.everything").__all__
        own = globals()
        own.update({each: getattr(_sys.modules["supple.everything"], each) for each in public}, __all__=public)
        if name in own:
            return own[name]
    raise AttributeError(f"module 'supple' has no attribute {name!r}", name=name, obj=_sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*__getattr__("__all__"), *globals()})
