"""The cache of one kernel as Numba asks for it: load what was compiled before, keep what is compiled now."""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numba
from numba.core.runtime import rtsys

from supple.jit import notices, store
from supple.jit.stamps import identity

#: (kernel, key) of all compiled code that this process asked for, and seconds of what it compiled itself.
asked_for: set[tuple[str, str]] = set()
compiled_here: dict[tuple[str, str], float] = {}
#: Folders from which code was loaded, and to which it was written.
folders_used: set[Path] = set()


def key_of(signature: Any, codegen: Any, mode: str) -> str:
    """What decides, besides the sources, whether compiled code is the same."""
    versions = sys.implementation.cache_tag, numba.__version__, mode
    return hashlib.blake2b(repr((signature, _machine(codegen), versions)).encode(), digest_size=8).hexdigest()


@cache
def _machine(codegen: Any) -> Any:
    """For which code is compiled."""
    return codegen.magic_tuple()


class KernelCache:
    """In the place of Numba's own cache, with the sources' stamp and checked content.

    Parameters
    ----------
    function : function
        The kernel in Python.
    stamp : str
        Of all sources that it is compiled from.
    mode : str
        How it is compiled: code of different modes is kept apart.
    """

    #: Numba tells it in statistics.
    cache_path = None

    def __init__(self, function: Callable[..., Any], stamp: str, mode: str) -> None:
        self.name, self.stamp, self.mode = identity(function), stamp, mode
        # values of a closure are in no source, unless it says so
        self.portable = function.__closure__ is None or hasattr(function, "part")
        self.begun = 0.0

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """What was compiled for a signature, or None; then Numba compiles, and that is told."""
        rtsys.initialize(target_context)  # compiled code calls it
        key = key_of(signature, target_context.codegen(), self.mode)
        asked_for.add((self.name, key))
        loaded = self._load(f"{self.name}-{key}", target_context) if self.portable else None
        if loaded is None:
            # all that Numba can translate, and half of SciPy with it: loaded code does without
            target_context.refresh()
            notices.tell_compiling(self.name)
            self.begun = perf_counter()
        return loaded

    def _load(self, entry: str, target_context: Any) -> Any:
        found = store.read(entry, self.stamp)
        if found is None:
            return None
        content, folder = found
        try:
            from numba.core.compiler import CompileResult

            result = CompileResult._rebuild(target_context, *pickle.loads(content))
        except Exception:  # complete, and yet of no use here: it is compiled anew and replaced
            return None
        folders_used.add(folder)
        return result

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what was compiled; if it cannot be kept, only say so."""
        key = key_of(signature, result.codegen, self.mode)
        compiled_here[self.name, key] = perf_counter() - self.begun
        if not self.portable or result.library.has_dynamic_globals:
            return
        from numba.core.serialize import dumps

        folder = store.write(f"{self.name}-{key}", self.stamp, dumps(result._reduce()))
        if folder is not None:
            folders_used.add(folder)
        notices.tell_kept(folder)

    def enable(self) -> None:
        """It is always in use."""

    disable = flush = enable
