"""Local bases on n equal elements: each function lives on one or two of them.

Their functions are not smooth at element borders k / n; quadrature nodes are aligned to the elements.
"""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray

from supple.bases.protocol import MOST_FUNCTIONS, Family, Functions
from supple.checks import Array, whole_number

#: The cubic slope function t^3 - 2 t^2 + t peaks at t = 1/3 with 4/27.
HERMITE_PEAK = 4.0 / 27.0


@final
class PiecewiseConstant(Family[int]):
    """n elements of constant strain, n functions: 1 on their own element, 0 elsewhere.

    A border belongs to the element after it, the tip to the last.
    """

    def functions(self, order: int) -> Functions:
        """One function per element."""
        n = whole_number(order, "number of elements", minimum=1, maximum=MOST_FUNCTIONS)
        borders = _borders(n)

        def evaluate(s: float | Array) -> Array:
            return np.where(_element(borders, s)[..., None] == np.arange(n), 1.0, 0.0)

        return Functions(n, evaluate, min_points=1, breaks=borders, broadcasts=True)


@final
class Hat(Family[int]):
    """Linear interpolation on n elements: n + 1 functions, the k-th is 1 at node k / n and 0 at the others.

    The coordinates are the strains at the nodes.
    """

    def functions(self, order: int) -> Functions:
        """One function per node."""
        n = whole_number(order, "number of elements", minimum=1, maximum=MOST_FUNCTIONS)

        def evaluate(s: float | Array) -> Array:
            distance: Array = np.abs(n * np.asarray(s)[..., None] - np.arange(n + 1))
            return np.maximum(0.0, 1.0 - distance)

        return Functions(n + 1, evaluate, min_points=2, breaks=_borders(n), broadcasts=True)


@final
class Hermite(Family[int]):
    """Cubic Hermite interpolation on n elements: 2 (n + 1) functions, continuous with continuous slope.

    Two functions per node k / n, in the order value_0, slope_0, value_1, slope_1, ...: with t in [0, 1] along
    the element after the node, value = 1 - 3 t^2 + 2 t^3 and slope = (27/4) (t^3 - 2 t^2 + t), mirrored (the
    slope with opposite sign) along the element before it. The factor 27/4 makes the slope functions reach
    +-1 whatever n is; a slope coordinate q is therefore d(strain)/ds = (27/4) n q at its node.
    """

    def functions(self, order: int) -> Functions:
        """A value and a slope function per node."""
        n = whole_number(order, "number of elements", minimum=1, maximum=MOST_FUNCTIONS)
        borders = _borders(n)

        def evaluate(s: float | Array) -> Array:
            element = _element(borders, s)
            t = n * np.asarray(s) - element
            values = np.zeros((*np.shape(s), 2 * (n + 1)))
            four = (
                1.0 - 3.0 * t**2 + 2.0 * t**3,
                (t**3 - 2.0 * t**2 + t) / HERMITE_PEAK,
                3.0 * t**2 - 2.0 * t**3,
                (t**3 - t**2) / HERMITE_PEAK,
            )
            columns = 2 * element[..., None] + np.arange(4)
            np.put_along_axis(values, columns, np.stack(four, axis=-1), axis=-1)
            return values

        return Functions(2 * (n + 1), evaluate, min_points=4, breaks=borders, broadcasts=True)


def _borders(n: int) -> tuple[float, ...]:
    """Interior element borders k / n."""
    return tuple(k / n for k in range(1, n))


def _element(borders: tuple[float, ...], s: float | Array) -> NDArray[np.int64]:
    """Element that holds s, or each of several. Searching, rather than flooring n s, is exact at the borders."""
    return np.asarray(np.searchsorted(borders, s, side="right"))
