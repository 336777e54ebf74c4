"""Where gradients by all numbers of a model are summed: arrays shaped like its own.

`core.parameter_gradient` adds to them; whoever made them clears them.  A load's own numbers have arrays shaped like its
data (``loads``); those of loads that do not say how their force depends on them are not resolved number by number:
their force is differenced between two sets of data (``differences``), along whatever joins the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from supple.core.arrays import array_types
from supple.core.views import View, viewing


class ParameterGradient(NamedTuple):
    """The gradient of one number by all numbers of a model.  Poses: by the entries of R and p, along rotations."""

    placement: Any  #: (n_blocks,) pose_t
    segments: Any  #: (1 + n_segments,) segment_t
    phi: Any  #: (2, n_columns)
    screws: Any  #: (6, n)
    gravity: Any  #: (3,)
    stiffness: Any  #: (n, n)
    damping: Any  #: (n, n)
    rest: Any  #: (n,)
    nodes: Any  #: (n_nodes,) node_t, of which only ``rest`` is written
    psi: Any  #: (n_node_columns,)
    limits: Any  #: (n, 8)
    inputs: Any  #: (nu,) by the inputs u
    signals: Any  #: (n_signals,) by the values of laws of time
    loads: Any  #: (n_loads, 6) kernel, own arrays, how it is called, inputs, rows: see `core.load_gradients`
    differences: Any  #: (k, 5) load, addresses of the handles of its data at both ends, and of its function there
    scales: Any  #: (k,) one over the distance of the ends
    along: Any  #: (k,) derivative along each difference, of loads, then of maps
    maps: Any  #: (m, 4) int64 differences of maps, see `core.map_gradients`


#: Entries of Space.gradient, for loads in mode GRADIENT and their kernels: the address of the load's own kernel, of its
#: arrays, of the whole gradient, of q and of y.
KERNEL, OWN, ALL, COORDINATES, ALONG_Y = 0, 1, 2, 3, 4

#: Columns of ParameterGradient.loads after kernel and arrays: how the kernel is called, first input and the one behind
#: the last; of loops `core.loop_gradients.LOOP_ROWS`, which no other robot compiles, else 0.
CALL, FIRST, LAST, ROWS = 2, 3, 4, 5
#: How: after the load; by the load itself, in mode GRADIENT; not at all, then inputs are as the load's modes say.
AFTER, WITHIN, NONE = 0, 1, 2

_KINDS = {"inputs": "f", "signals": "f", "loads": "I", "differences": "I", "scales": "f", "along": "f"}
_KINDS |= {"maps": "I"}
_TYPES = array_types(ParameterGradient._fields, _KINDS)

#: The gradient whose handle is at an address, as a view.
gradient_view = viewing(View("gradient", _TYPES))


def make_gradient(
    parameters: Sequence[np.ndarray],
    inputs: np.ndarray,
    signals: np.ndarray,
    loads: np.ndarray,
    differences: np.ndarray | None = None,
    scales: np.ndarray | None = None,
    along: np.ndarray | None = None,
    maps: np.ndarray | None = None,
) -> ParameterGradient:
    """The gradient of arrays shaped like `core.arrays.Parameters` and the others of `ParameterGradient`."""
    none = np.zeros(0)
    return ParameterGradient(
        *parameters,
        inputs=inputs,
        signals=signals,
        loads=loads,
        differences=np.zeros((0, 5), np.int64) if differences is None else differences,
        scales=none if scales is None else scales,
        along=none if along is None else along,
        maps=np.zeros((0, 4), np.int64) if maps is None else maps,
    )


def shaped_like(arrays: Sequence[np.ndarray], buffer: np.ndarray) -> list[np.ndarray]:
    """Arrays of the types and shapes of others, one after the other in a buffer of floats; all entries are 8 bytes."""
    found, first = [], 0
    for array in arrays:
        words = array.nbytes // 8
        found.append(buffer[first : first + words].view(array.dtype).reshape(array.shape))
        first += words
    return found


def words_of(arrays: Sequence[np.ndarray]) -> int:
    """Floats that a buffer for such arrays needs (`shaped_like`)."""
    return sum(array.nbytes for array in arrays) // 8
