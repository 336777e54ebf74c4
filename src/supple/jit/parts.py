"""Functions inside kernels, kept between processes as LLVM takes them.

Kernels share many functions.  What one process typed and lowered for a first simulation, another finds again when it
compiles the kernels of a further load, which takes a quarter less time then.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import cached_property
from typing import Any

from llvmlite.binding import parse_bitcode
from numba.core.compiler import compile_result
from numba.core.lowering import Environment

from supple.jit import store
from supple.jit.cache import key_of
from supple.jit.libraries import Kept, Part, with_helpers
from supple.jit.stamps import part_stamp

#: Caches of all functions, by the names of these.
_caches: dict[str, PartCache] = {}


class PartCache:
    """In the place of Numba's own cache, for a function inside kernels; users' functions are not kept.

    Parameters
    ----------
    function : function
        In Python.
    mode : str
        How it is compiled.
    """

    #: Numba tells it in statistics.
    cache_path = None

    def __init__(self, function: Callable[..., Any], mode: str) -> None:
        self.function, self.mode = function, mode
        self.name = f"{function.__module__}.{function.__qualname__}"
        # values of a closure are in no source
        self.portable = function.__closure__ is None and self.name.startswith("supple.")
        self.known: dict[str, Any] = {}
        _caches[self.name] = self

    @cached_property
    def stamp(self) -> str:
        """Of all sources that it is made from."""
        return part_stamp(self.function)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """What was lowered for a signature, or None."""
        return self.find(self._key(signature, target_context), target_context) if self.portable else None

    def _key(self, signature: Any, target_context: Any) -> str:
        return key_of([kind.name for kind in signature], target_context.codegen(), self.mode)

    def _entry(self, key: str) -> str:
        return f"parts/{self.name}-{key}"

    def find(self, key: str, target_context: Any) -> Any:
        """What was lowered and is known to this process or to the store, or None."""
        if key not in self.known:
            found = store.read(self._entry(key), self.stamp)
            if found is None:
                return None
            try:
                self.known[key] = _restored(pickle.loads(found[0]), target_context)
            except Exception:  # complete, and yet of no use here: it is lowered anew and replaced
                return None
        return self.known[key]

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what was lowered, if all functions of ours that it calls are kept."""
        library = result.library
        calls = [called.kept for called in library._linking_libraries if isinstance(called, Part)]
        if not self.portable or library.has_dynamic_globals or None in calls:
            return
        description = copy.copy(result.fndesc)
        description.typemap = description.calltypes = None  # of no use any more
        key = self._key(signature, result.target_context)
        kept = Kept(self.name, key, description.mangled_name)
        code = with_helpers(library, kept.symbol).as_bitcode()
        content = pickle.dumps((code, description, result.signature, kept, calls))
        if store.write(self._entry(key), self.stamp, content) is not None:
            library.kept, self.known[key] = kept, result

    def enable(self) -> None:
        """It is always in use."""

    disable = flush = enable


def _restored(content: Any, target_context: Any) -> Any:
    """What Numba would have made of a function, from what was kept of it."""
    code, description, signature, kept, calls = content
    called = [_library(call, target_context) for call in calls]
    library = Part.restored(target_context.codegen(), kept, parse_bitcode(code), called)
    environment = Environment.from_fndesc(description)
    return compile_result(
        target_context=target_context,
        typing_context=target_context.typing_context,
        entry_point=target_context.get_executable(library, description, environment),
        fndesc=description,
        library=library,
        signature=signature,
        environment=environment,
        objectmode=False,
        lifted=(),
    )


def _library(kept: Kept, target_context: Any) -> Any:
    """Code of a function that another one calls, if it bears the very name under which it is called there."""
    found = _caches[kept.function].find(kept.key, target_context)
    if found is None or found.library.kept != kept:
        raise LookupError(kept.symbol)
    return found.library
