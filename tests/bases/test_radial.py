"""Gaussian bumps: centres, width, validation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from supple.bases import Gaussian
from supple.errors import ModelError


def test_bumps_are_centred_at_the_nodes():
    basis = Gaussian(bend_y=4)
    for k in range(5):
        assert basis.values(k / 4)[k] == 1.0


@pytest.mark.parametrize(("width", "expected"), [(None, 0.25), (0.1, 0.1)])
def test_width_is_a_standard_deviation(width, expected):
    basis = Gaussian(bend_y=4, width=width)
    assert_allclose(basis.values(0.5 + expected)[2], np.exp(-0.5))
    assert Gaussian(4, width=width).scalar().evaluate(0.5 + expected)[2] == basis.values(0.5 + expected)[2]


def test_points_needed():
    assert Gaussian(bend_y=4).min_points == 5


@pytest.mark.parametrize("width", [0.0, -1.0])
def test_width_must_be_positive(width):
    with pytest.raises(ModelError, match=r"Gaussian: bend_y: width is -?[01], must be positive"):
        Gaussian(bend_y=4, width=width)
