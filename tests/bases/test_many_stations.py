"""Bases at many stations at once: the same numbers as one by one, also for families that take one s only."""

import pickle

import numpy as np
import pytest

from supple import (
    Chebyshev,
    CustomBasis,
    Fourier,
    Gaussian,
    Hat,
    Hermite,
    Legendre,
    Monomial,
    PiecewiseConstant,
    Strain,
)
from supple.bases.protocol import Family, Functions

#: With borders of elements, and both ends.
STATIONS = np.array([0.0, 0.1, 0.25, 1.0 / 3.0, 0.5, 2.0 / 3.0, 0.75, 0.999, 1.0])


class Scalar(Family[int]):
    """A user's family whose function takes one s alone."""

    def functions(self, order: int) -> Functions:
        def evaluate(s: float) -> np.ndarray:
            return np.array([1.0 if s < 0.5 else 0.5] + [s**k for k in range(1, order + 1)])

        return Functions(order + 1, evaluate, min_points=order + 1)


FAMILIES = [
    Legendre(torsion=3, bend_y=0),
    Chebyshev(bend_y=4),
    Monomial(bend_z=3, stretch=1),
    Fourier(bend_y=2),
    Gaussian(bend_y=3),
    Hat(bend_y=3, shear_z=1),
    Hermite(bend_y=3),
    PiecewiseConstant(bend_y=4, bend_z=3),
    Scalar(bend_y=2),
    CustomBasis(bend_y=lambda s: [1.0, s if s < 0.4 else 0.4]),
    Strain(torsion=Legendre(2), bend_y=Hat(3), bend_z=Scalar(1)),
]


@pytest.mark.parametrize("basis", FAMILIES, ids=repr)
def test_values_at_many_stations_are_those_at_each(basis):
    table = basis.values(STATIONS)
    assert table.shape == (len(STATIONS), basis.size)
    each = np.array([basis.values(s) for s in STATIONS.tolist()])
    assert np.abs(table - each).max() <= 4e-16
    assert basis.values(STATIONS[:0]).shape == (0, basis.size)


def test_functions_are_made_once_and_not_pickled():
    class Counting(Legendre):
        calls = 0

        def functions(self, order):
            type(self).calls += 1
            return super().functions(order)

    basis = Counting(bend_y=3, bend_z=2)
    for _ in range(3):
        assert basis.size == 7
        assert basis.breaks == ()
        assert basis.min_points == 4
        basis.values(0.5)
    assert Counting.calls == 2
    again = pickle.loads(pickle.dumps(Legendre(bend_y=3)))
    assert np.array_equal(again.values(STATIONS), Legendre(bend_y=3).values(STATIONS))
