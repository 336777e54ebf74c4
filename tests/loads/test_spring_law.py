import math
import pickle
import re

import numba
import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from line_robots import OFFSET, branched_robot, check_tangents, random_motion
from supple.loads.cable import Cable
from supple.loads.spring import Spring

ENDS = {"a": ("a", 0.55), "b": ("b", 0.9, OFFSET)}


def linear(l, rate):
    return 30.0 * (l - 0.1) + 2.0 * rate


def cubic(l, rate):
    return 500.0 * (l - 0.1) ** 3 + math.tanh(rate) * l


def cubic_l(l, rate):
    return 1500.0 * (l - 0.1) ** 2 + math.tanh(rate)


def cubic_rate(l, rate):
    return l / math.cosh(rate) ** 2


@numba.njit
def compiled_cubic(l, rate):
    return 500.0 * (l - 0.1) ** 3 + math.tanh(rate) * l


def interpreted(l, rate):
    """Numba cannot compile this."""
    return float(re.sub("x", "", f"{30.0 * (l - 0.1) + 2.0 * rate!r}x"))


def test_linear_law_is_the_built_in_one():
    law = branched_robot(Spring("s", **ENDS, law=linear))
    built_in = branched_robot(Spring("s", **ENDS, stiffness=30.0, rest_length=0.1, damping=2.0))
    q, v, a = random_motion(law, 1)
    assert relative_error(law.residual(q, v, a), built_in.residual(q, v, a)) < 1e-13
    for x, y in zip(law.residual_derivatives(q, v, a), built_in.residual_derivatives(q, v, a), strict=True):
        assert relative_error(x, y) < 1e-9


@pytest.mark.parametrize("law", [cubic, compiled_cubic])
@pytest.mark.parametrize("slopes", [None, (cubic_l, cubic_rate)])
def test_tangents_against_differences(law, slopes):
    model = branched_robot(Spring("s", **ENDS, law=law, slopes=slopes))
    check_tangents(model, *random_motion(model, 2), None)


def test_given_and_differenced_slopes_agree():
    given = branched_robot(Spring("s", **ENDS, law=cubic, slopes=(cubic_l, cubic_rate)))
    differenced = branched_robot(Spring("s", **ENDS, law=cubic))
    q, v, a = random_motion(given, 3)
    for x, y in zip(differenced.residual_derivatives(q, v, a), given.residual_derivatives(q, v, a), strict=True):
        assert relative_error(x, y) < 1e-9


def test_interpreted_law_warns_and_works():
    with pytest.warns(sp.ModelWarning, match="interpreted"):
        model = branched_robot(Spring("s", **ENDS, law=interpreted))
    q, v, a = random_motion(model, 4)
    reference = branched_robot(Spring("s", **ENDS, law=linear))
    assert relative_error(model.residual(q, v, a), reference.residual(q, v, a)) < 1e-12


def fleeing(model, q):
    """A velocity that lengthens the spring."""
    probe = branched_robot(Cable("probe", list(ENDS.values()), 1.0))
    return probe.lines(q)["probe"].gradient


def test_a_law_that_fails_later_is_reported():
    def breaks(l, rate):
        if rate > 1e3:
            raise RuntimeError(re.sub("x", "", "too fast"))
        return 0.0

    with pytest.warns(sp.ModelWarning, match="cannot be compiled"):
        model = branched_robot(Spring("s", **ENDS, law=breaks))
    q = random_motion(model, 5)[0]
    v = np.zeros(model.n)
    assert np.isfinite(model.residual(q, v, v)).all()
    with pytest.raises(sp.StateError):
        model.residual(q, 1e6 * fleeing(model, q), v)


def test_pickled_model_finds_its_law_again():
    model = branched_robot(Spring("s", **ENDS, law=cubic, slopes=(cubic_l, cubic_rate)))
    q, v, a = random_motion(model, 6)
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.residual(q, v, a) == model.residual(q, v, a)).all()


def test_pickling_names_a_law_that_cannot_be_pickled():
    model = branched_robot(Spring("s", **ENDS, law=lambda l, rate: 3.0 * l))
    with pytest.raises(sp.ModelError, match="lambda"):
        pickle.dumps(model)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"law": 3.0}, "law is 3.0"),
        ({"law": lambda l: l}, "fails"),
        ({"law": lambda l, rate: math.nan}, "finite"),
        ({"law": lambda l, rate: (l, rate)}, "must be a number"),
        ({"law": lambda l, rate: np.array([l])}, "must be a number"),
        ({"law": cubic, "stiffness": 3.0}, "instead of"),
        ({"slopes": (cubic_l, cubic_rate)}, "no law"),
        ({"law": cubic, "slopes": (cubic_l,)}, "two functions"),
        ({"law": cubic, "slopes": (cubic_l, lambda l, rate: None)}, r"slopes\[1\]"),
    ],
)
def test_bad_laws_are_named(options, message):
    with pytest.raises(sp.ModelError, match=message) as error:
        branched_robot(Spring("bumper", **ENDS, **options))
    assert "Spring 'bumper'" in str(error.value)
