"""An operation over leading axes: rows on several threads, with the numbers that one at a time would give.

What rows are at fault for is said with their place, the first of them if there are several.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from math import prod
from typing import Any

import numpy as np

from supple.bridges.operation import Operation, Port
from supple.checks import floats, shown, why
from supple.errors import ShapeError, StateError, naming
from supple.threads import Queue, share

Array = np.ndarray

#: Rows whose memories are kept at least; of a larger batch, all.
REMEMBERED = 64
#: Failures that are kept, for frameworks that turn them into errors of their own.
FAILURES = 16

# The first row of an operation is computed alone: kernels are read from the cache, or compiled, once.
_first = threading.Lock()



class Rows:
    """An operation applied to arrays with leading axes.

    Attributes
    ----------
    failures : deque of Exception
        The last ones, newest first.
    """

    def __init__(self, operation: Operation, threads: int | None) -> None:
        self.operation, self.threads = operation, threads or os.cpu_count() or 1
        self.failures: deque[Exception] = deque(maxlen=FAILURES)
        self._memories: OrderedDict[bytes, Any] = OrderedDict()
        self._lock = threading.Lock()
        self._known: set[str] = set()

    def evaluate(self, arrays: Sequence[Any], record: bool) -> tuple[list[Array], list[Any]]:
        """Outputs (*lead, *shape) of inputs with common leading axes, and the memory of every row, in C order."""
        operation = self.operation
        lead, rows = self._rows(operation.inputs, arrays)
        outputs = [np.empty((len(rows), *port.shape)) for port in operation.outputs]
        memories: list[Any] = [None] * len(rows)

        def work(i: int) -> None:
            found, memories[i] = operation.evaluate(rows[i], record)
            for output, value in zip(outputs, found, strict=True):
                output[i] = value

        self._share(work, lead, "record" if record else "evaluate")
        shaped = [output.reshape((*lead, *output.shape[1:])) for output in outputs]
        return shaped, memories

    def pull(self, memories: Sequence[Any], cotangents: Sequence[Any]) -> list[Array]:
        """Gradients (*lead, *shape) from cotangents with the leading axes of the outputs."""
        return self._derive("pull", self.operation.outputs, self.operation.inputs, memories, cotangents)

    def push(self, memories: Sequence[Any], tangents: Sequence[Any]) -> list[Array]:
        """Changes (*lead, *shape) of the outputs along changes of the inputs, with their leading axes."""
        return self._derive("push", self.operation.inputs, self.operation.outputs, memories, tangents)

    def _derive(
        self, way: str, ports: Sequence[Port], results: Sequence[Port], memories: Sequence[Any], given: Sequence[Any]
    ) -> list[Array]:
        """What `Operation.pull` or `push` makes of arrays shaped as ``ports``, row by row."""
        lead, rows = self._rows(ports, given)
        found = [np.empty((len(rows), *port.shape)) for port in results]

        def work(i: int) -> None:
            for array, value in zip(found, getattr(self.operation, way)(memories[i], rows[i]), strict=True):
                array[i] = value

        self._share(work, lead, way)
        return [array.reshape((*lead, *array.shape[1:])) for array in found]

    def jacobian(self, memory: Any) -> list[list[Array]]:
        """Jacobians of one row."""
        with self._noting():
            return self.operation.jacobian(memory)

    # ------------------------------------------------------------------ what is remembered

    def remember(self, arrays: Sequence[Any], memories: Sequence[Any]) -> None:
        """Keep memories of rows, for a `recall` that is to come soon."""
        _, rows = self._rows(self.operation.inputs, arrays)
        with self._lock:
            for row, memory in zip(rows, memories, strict=True):
                key = _content(row)
                self._memories[key] = memory
                self._memories.move_to_end(key)
            while len(self._memories) > max(REMEMBERED, len(rows)):
                self._memories.popitem(last=False)

    def recall(self, arrays: Sequence[Any]) -> list[Any]:
        """Memories of rows, computed again where they are no longer known; equal rows share one."""
        lead, rows = self._rows(self.operation.inputs, arrays)
        keys = [_content(row) for row in rows]
        with self._lock:
            known = {key: self._memories[key] for key in keys if key in self._memories}
        first = {key: i for i, key in reversed(list(enumerate(keys)))}

        def work(i: int) -> None:
            if keys[i] not in known and first[keys[i]] == i:
                known[keys[i]] = self.operation.evaluate(rows[i], True)[1]

        self._share(work, lead, "record")
        memories = [known[key] for key in keys]
        self.remember(arrays, memories)
        return memories

    # ------------------------------------------------------------------ rows and threads

    def _rows(self, ports: Sequence[Port], arrays: Sequence[Any]) -> tuple[tuple[int, ...], list[tuple[Array, ...]]]:
        """Leading axes, and a copy of every row: nobody can change it later."""
        with self._noting():
            copies = [_finite(self.operation, port, array) for port, array in zip(ports, arrays, strict=True)]
        lead = copies[0].shape[: copies[0].ndim - len(ports[0].shape)]
        count = prod(lead)
        flat = [x.reshape(count, *port.shape) for x, port in zip(copies, ports, strict=True)]
        return lead, [tuple(x[i] for x in flat) for i in range(count)]

    def _share(self, work: Callable[[int], None], lead: tuple[int, ...], kind: str) -> None:
        """Call ``work`` with every row, on several threads where that pays."""
        count = prod(lead)
        workers = max(1, min(self.threads, count // self.operation.grain))
        failed: dict[int, Exception] = {}

        def some(rows: Queue) -> None:
            for i in rows:
                if i > min(failed, default=count):
                    return
                try:
                    with naming(f"{self.operation.name}, row {_place(i, lead)}") if lead else nullcontext():
                        work(i)
                except Exception as error:
                    failed[i] = error
                    return

        begin = 0
        if kind not in self._known and count:
            with _first:
                some(Queue(range(1)))
            self._known.add(kind)
            begin = 1
        share(Queue(range(begin, count)), some, workers)
        if failed:
            with self._noting():
                raise failed[min(failed)]

    def _noting(self) -> Any:
        return _Noting(self.failures)


class _Noting:
    """Keeps what is raised inside the block."""

    def __init__(self, failures: deque[Exception]) -> None:
        self.failures = failures

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, Exception):
            self.failures.appendleft(error)


def _finite(operation: Operation, port: Port, given: Any) -> Array:
    """A float64 copy, in C order, of numbers that are finite."""
    try:
        array = np.array(floats(np.asarray(given)), order="C")
    except ValueError as reason:
        raise ShapeError(f"{operation.name}: {port.name} is {shown(given)}, must be numbers{why(reason)}") from None
    if not np.isfinite(array).all():
        place = tuple(int(x[0]) for x in np.nonzero(~np.isfinite(array)))
        raise StateError(f"{operation.name}: {port.name}{list(place)} is {array[place]}, must be finite")
    return array


def _place(i: int, lead: tuple[int, ...]) -> str:
    """Where the i-th row is."""
    place = tuple(int(x) for x in np.unravel_index(i, lead))
    return str(place[0]) if len(place) == 1 else str(place)


def _content(row: Sequence[Array]) -> bytes:
    """A key of equal rows."""
    digest = hashlib.blake2b(digest_size=16)
    for array in row:
        digest.update(array.tobytes())
    return digest.digest()
