import math
import pickle
import re

import numba
import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from line_robots import OFFSET, branched_robot, check_tangents, random_motion
from supple.loads.lines.cable import Cable
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
    with pytest.raises(sp.StateError, match=r"Spring 's': law\(0\.\d+, \d+\.?\d*\) raised RuntimeError: too fast"):
        model.residual(q, 1e6 * fleeing(model, q), v)


def rooted(l, rate):
    """Not a number for long springs."""
    return math.nan if l > 0.3 else 1.0


def endless(l, rate):
    return math.inf if l > 0.3 else 1.0


def zero(l, rate):
    return 0.0


def long_and_short():
    """A robot's state of rest, in which the spring is short, and one in which it is longer than 0.3 m."""
    model = branched_robot(Cable("probe", list(ENDS.values()), 1.0))
    for seed in range(20):
        q = random_motion(model, seed)[0]
        if model.lines(q)["probe"].length > 0.35:
            assert model.lines(0.0 * q)["probe"].length < 0.25
            return q, 0.0 * q
    raise AssertionError("no long spring found")


CALLS = {
    "residual": lambda model, q, z: model.residual(q, z, z),
    "residual_tangent": lambda model, q, z: model.residual_tangent(q, z, z),
    "inverse_dynamics": lambda model, q, z: model.inverse_dynamics(q, z, z),
    "derivatives": lambda model, q, z: model.inverse_dynamics_derivatives(q, z, z),
    "forward_dynamics": lambda model, q, z: model.forward_dynamics(q, z),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("law", [rooted, endless])
def test_a_law_that_is_not_finite_names_its_spring(law, call):
    model = branched_robot(
        Spring("good", ("body", 0.0), ("c", 1.0), law=linear),
        Spring("bad", **ENDS, law=law),
        Spring("fine", ("body", 0.0), ("d", 1.0), stiffness=3.0),
    )
    far, near = long_and_short()
    for copy in (model, pickle.loads(pickle.dumps(model))):
        with pytest.raises(sp.StateError, match=r"Spring 'bad': law\(0\.\d+, 0\) returned (nan|inf), must be finite"):
            CALLS[call](copy, far, 0.0 * far)
        CALLS[call](copy, near, 0.0 * near)
        with pytest.raises(sp.StateError, match=r"^q\[3\]"):  # what was noted before is not told again
            CALLS[call](copy, np.where(np.arange(model.n) == 3, np.nan, near), 0.0 * near)


def test_a_slope_that_is_not_finite_names_its_spring():
    model = branched_robot(Spring("bad", **ENDS, law=zero, slopes=(zero, rooted)))
    far, _ = long_and_short()
    model.residual(far, 0.0 * far, 0.0 * far)
    with pytest.raises(sp.StateError, match=r"Spring 'bad': slopes\[1\]\(0\.\d+, 0\) returned nan"):
        model.residual_tangent(far, 0.0 * far, 0.0 * far)


def test_a_difference_that_is_not_finite_names_its_spring():
    """The law itself is finite, but not beside the length."""
    far, _ = long_and_short()
    edge = branched_robot(Cable("probe", list(ENDS.values()), 1.0)).lines(far)["probe"].length + 1e-6

    def cut(l, rate):
        return 1.0 if l < edge else math.nan

    model = branched_robot(Spring("bad", **ENDS, law=cut))
    with pytest.raises(sp.StateError, match=r"Spring 'bad': its law is not finite near l = 0\.\d+ m, dl/dt = 0 m/s"):
        model.residual_tangent(far, 0.0 * far, 0.0 * far)


def test_an_overflowing_state_is_not_blamed_on_a_spring():
    model = branched_robot(Spring("good", **ENDS, law=linear))
    q = np.zeros(model.n)
    with pytest.raises(sp.StateError, match="overflows"):
        model.residual(q, np.full(model.n, 1e200), q)


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
