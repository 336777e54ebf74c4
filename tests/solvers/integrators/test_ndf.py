"""Differences that NDF keeps: another step is another polynomial's points, and values come back as they were."""

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from kernel_entry import entry
from supple.errors import ModelError
from supple.solvers.integrators import ndf

rescale, back_values = entry(ndf.rescale), entry(ndf.back_values)


def differences(polynomial, h, count):
    """Backward differences of a polynomial at 0, of order 0 to ``count``."""
    values = np.polyval(polynomial, -h * np.arange(count + 1))
    D = []
    while len(values):
        D.append(values[0])
        values = values[:-1] - values[1:]
    return np.array(D)


@pytest.mark.parametrize("order", range(1, 6))
@pytest.mark.parametrize("factor", [0.2, 0.7, 1.0, 1.9])
def test_differences_of_another_step(order, factor):
    """Those of the same polynomial, up to the order that is kept."""
    polynomial, h = np.random.default_rng(order).standard_normal(order + 1), 0.1
    D = np.full((8, 1), np.nan)
    D[: order + 1, 0] = differences(polynomial, h, order)
    rescale(D, order, factor, np.empty((3, 8, 8)))
    assert relative_error(D[: order + 1, 0], differences(polynomial, factor * h, order), floor=1.0) < 1e-12
    assert np.isnan(D[order + 1 :]).all()


def test_differences_and_values_are_each_other_s_inverse():
    rng = np.random.default_rng(0)
    polynomial, h = rng.standard_normal(6), 0.3
    D = np.array([differences(polynomial, h, 5), rng.standard_normal(6)]).T
    kept = D.copy()
    back_values(D, 6)
    assert relative_error(D[:, 0], np.polyval(polynomial, -h * np.arange(6))) < 1e-12
    back_values(D, 6)
    assert relative_error(D, kept) < 1e-13


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_order": 6}, "NDF: max_order"),
        ({"max_order": 0}, "NDF: max_order"),
        ({"jacobian": "none"}, "NDF: jacobian"),
        ({"loops": "open"}, "NDF: loops"),
        ({"rtol": 2.0}, "NDF: rtol"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ModelError, match=message):
        sp.NDF(**options)


def test_tight_tolerances_ask_newton_for_no_more_than_rounding_allows():
    assert sp.NDF(rtol=1e-3).control.newton == pytest.approx(0.03)
    assert sp.NDF(rtol=1e-8).control.newton == pytest.approx(1e-4)
    assert sp.NDF(rtol=1e-12).control.newton == pytest.approx(10.0 * np.finfo(float).eps / 1e-12)


def test_loops_in_index_3_are_refused():
    with pytest.raises(sp.ModelError, match=r'NDF: loops="index3" does not go.*GeneralizedAlpha'):
        sp.NDF(loops="index3")
