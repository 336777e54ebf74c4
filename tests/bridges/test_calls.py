"""Arguments of bridges: by place, by name, with leading axes; what does not fit is named."""

import numpy as np
import pytest

import supple as sp
from bridge_cases import arm
from supple.bridges.calls import arranged, leading_axes
from supple.bridges.dynamics import ForwardDynamicsOperation
from supple.bridges.subject import Subject


@pytest.fixture(scope="module")
def operation():
    return ForwardDynamicsOperation(Subject(arm()), 0.0)


def test_by_place_and_by_name(operation):
    assert arranged(operation, (1, 2), {"u": 3}) == [1, 2, 3]
    assert arranged(operation, (), {"v": 2, "q": 1}) == [1, 2, None]  # u has a default


@pytest.mark.parametrize(
    ("positional", "named", "words"),
    [
        ((1, 2, 3, 4), {}, "takes q, v, u; 4 arguments"),
        ((1, 2), {"w": 3}, "there is no 'w'"),
        ((1, 2), {"q": 3}, "q was given twice"),
        ((1,), {}, r"v \(6,\) is missing"),
        ((1, 2, 3), {"p": {}}, "there is no 'p'"),
    ],
)
def test_what_does_not_fit_is_named(operation, positional, named, words):
    with pytest.raises(sp.ModelError, match=words):
        arranged(operation, positional, named)


@pytest.mark.parametrize(
    ("shapes", "lead"),
    [
        (((6,), (6,), (3,)), ()),
        (((5, 6), (6,), (3,)), (5,)),
        (((5, 1, 6), (6,), (2, 3)), (5, 2)),
        (((0, 6), (6,), (1, 3)), (0,)),
    ],
)
def test_leading_axes_are_broadcast_as_numpy_does_it(operation, shapes, lead):
    assert leading_axes(operation, shapes) == lead
    rows = [shape[:-1] for shape in shapes]
    assert np.broadcast_shapes(*rows) == lead


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        (((5,), (6,), (3,)), r"forward_dynamics: q has shape \(5,\), must be \(6,\) or \(..., 6\)"),
        (((6,), (), (3,)), r"v has shape \(\)"),
        (((6,), (6,), (3, 1)), r"u has shape \(3, 1\)"),
        (((4, 6), (6,), (5, 3)), r"leading axes \(5,\) of u do not fit \(4,\)"),
    ],
)
def test_shapes_that_do_not_fit_are_named(operation, shapes, words):
    with pytest.raises(sp.ShapeError, match=words):
        leading_axes(operation, shapes)
