"""Options of methods: checked values take the place of those given, and errors name method and option."""

from types import SimpleNamespace

import numpy as np
import pytest

from supple.errors import ModelError
from supple.solvers.integrators.option_checks import check_fixed_step, check_loops, check_tolerances, positive


class Scheme(SimpleNamespace):
    """Something with options."""


def scheme(**options):
    return Scheme(**{"rtol": 1e-3, "atol": 1e-6, "max_step": None, "first_step": None, "loops": "index3"} | options)


def test_plain_numbers_are_kept():
    method = scheme(rtol=np.float64(1e-4), atol=np.array([1e-6, 1e-7]), max_step=np.int64(1))
    check_tolerances(method)
    assert (type(method.rtol), method.atol, method.max_step) == (float, (1e-6, 1e-7), 1.0)
    assert positive(scheme(dt=2), "dt") == 2.0
    check_loops(method)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rtol": 1e-14}, "Scheme: rtol is 1e-14, must be at least 1e-13 and below 1"),
        ({"rtol": 1.0}, "below 1"),
        ({"rtol": "small"}, "Scheme: rtol"),
        ({"atol": 0.0}, "Scheme: atol is 0.0, must be positive"),
        ({"atol": [1e-6, np.inf]}, "Scheme: atol"),
        ({"atol": np.eye(2)}, "a number or one per coordinate"),
        ({"max_step": 0.0}, "Scheme: max_step"),
        ({"first_step": -1.0}, "Scheme: first_step"),
    ],
)
def test_bad_tolerances(options, message):
    with pytest.raises(ModelError, match=message):
        check_tolerances(scheme(**options))


def test_bad_steps_and_loops():
    with pytest.raises(ModelError, match="Scheme: dt"):
        check_fixed_step(scheme(dt=-1.0, newton_rtol=1.0, newton_atol=1.0))
    with pytest.raises(ModelError, match="Scheme: newton_atol"):
        check_fixed_step(scheme(dt=1.0, newton_rtol=1.0, newton_atol=0.0))
    with pytest.raises(ModelError, match=r"Scheme: loops is 'index2'.*'stabilised'.*'index3'"):
        check_loops(scheme(loops="index2"))
