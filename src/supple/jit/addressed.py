"""Kernels that others call by their address."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar
from weakref import WeakSet

from numba import types

from supple.jit.calls import Work
from supple.jit.mode import compiler
from supple.jit.stamps import load_stamp, stamp_of

#: Signature of a load, see core.loads: addresses of tree, space and data, and the mode.
_LOAD = types.void(*[types.int64] * 4)

#: Signature of the gradient of a load by its numbers, see core.load_gradients: addresses of tree, space, data, the
#: arrays shaped like the data, and the whole gradient.
_GRADIENT = types.void(*[types.int64] * 5)

#: Signature of a map g(q) of a joint, see core.blocks.custom: addresses of data, q, v and results, n and the order.
_MAP = types.void(*[types.int64] * 6)

#: Signature of the field of mass of a soft body, see core.blocks.body: addresses of data, q, v, a and memory; n, order.
_FIELD = types.void(*[types.int64] * 7)

#: All of them, of users too.
ADDRESSED: WeakSet[AddressedKernel] = WeakSet()

# Of all kernels: whoever holds it may wait for Numba's own lock, and nobody who holds that asks for an address.
_lock = threading.RLock()
# Of the list of them, which cannot grow while somebody looks through it.
_listing = threading.Lock()


class AddressedKernel:
    """A function that others call by its address, compiled (or read from the cache) when that is first asked for.

    What calls it is compiled apart from it: solvers are small, and the large kernels are compiled once for all of them.
    """

    def __init__(
        self, function: Callable[..., Any], signature: Any, stamp: str = stamp_of("core"), work: Work = Work.LOOPS
    ) -> None:
        self.function, self.signature, self.stamp, self.work = function, signature, stamp, work
        self.__doc__ = function.__doc__
        self._address = 0
        with _listing:
            ADDRESSED.add(self)

    @property
    def address(self) -> int:
        """Where kernels call it.  Threads that ask for it at the same time get the one that the first compiles."""
        if not self._address:
            with _lock:
                if not self._address:
                    self.compiled = compiler().callback(self.function, self.signature, self.stamp, self.work)
                    self._address = int(self.compiled.address)  # last: who sees it, may call it
        return self._address

    def __reduce__(self) -> Any:
        # an address means nothing in another process, where the module of the function makes the kernel
        return _known, (self.function,)


def _known(function: Callable[..., Any]) -> AddressedKernel:
    """The kernel of a function."""
    with _listing:
        return next(kernel for kernel in ADDRESSED if kernel.function is function)


class _ModelKernel(AddressedKernel):
    """A compiled function that belongs to a model.

    It pickles as a reference to its function, which must therefore stand at the top level of a module.
    """

    kind: ClassVar[Any]
    work_of_kind: ClassVar[Work] = Work.LOOPS

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, self.kind, load_stamp(function), self.work_of_kind)

    def __reduce__(self) -> Any:
        # an address means nothing in another process
        return _unpickled, (type(self), self.function)


class LoadKernel(_ModelKernel):
    """A load's compiled function."""

    work_of_kind, kind = Work.FORMULAS, _LOAD


class GradientKernel(_ModelKernel):
    """How the virtual power of a load depends on its own numbers (`core.load_gradients`).

    Attributes
    ----------
    within : bool
        Whether the load calls it by itself, in mode GRADIENT.
    smooth : bool
        Whether the load's force is smooth in all its numbers and in the poses that it acts at: nothing falls slack,
        touches or sticks.  Its equations may then be differenced along changes of a model's numbers
        (`gradients.displaced_models`).
    """

    work_of_kind, kind, within, smooth = Work.FORMULAS, _GRADIENT, False, False


class SmoothGradientKernel(GradientKernel):
    """The same of a load whose force is smooth."""

    smooth = True


class MapKernel(_ModelKernel):
    """The compiled map g(q) of a joint (`core.blocks.custom`)."""

    kind = _MAP


class FieldKernel(_ModelKernel):
    """The compiled field of mass of a soft body (`core.blocks.body`)."""

    kind = _FIELD


@cache
def _unpickled(kind: type[_ModelKernel], function: Callable[..., Any]) -> _ModelKernel:
    """One kernel for all unpickled models."""
    return kind(function)
