"""How a closed robot follows where it was open, and its parameters: steps of a search, varied along their path."""

import numpy as np
import pytest

import supple as sp
from motion_cases import along, looped
from supple.gradients.closing import closed_by_parameter, closing_tangent
from supple.model.assembly import closing
from supple.model.constraints import loop_terms

BAR = sp.Rigid.cylinder(1.0, 0.02, density=1000.0)


def linkage(reach=1.0, size=1.0, angle=-0.8, speed=1.0, prescribed=True):
    """Four bars whose end is pinned to the world, the first of them turned by a law."""
    robot = sp.Robot("linkage")
    robot.add_link("a", sp.Rigid.cylinder(size, 0.02, density=1000.0), sp.Revolute("y"))
    for name, parent in (("b", "a"), ("c", "b"), ("d", "c")):
        robot.add_link(name, BAR, sp.Revolute("y"), parent=parent)
    robot.add(sp.Loop("pin", ("d", sp.pose()), ("world", sp.pose((reach, 0.0, 0.0))), sp.Revolute("y")))
    if prescribed:
        robot.add(sp.Prescribed("a", sp.laws.Polynomial([angle, speed])))
    return robot


def closed(model, q0):
    return closing(model, q0, model.loops, model.fixed_coordinates)


CASES = {
    "near": (looped, lambda rng, n: 0.1 * rng.normal(size=n)),
    "far": (lambda: linkage(prescribed=False).compile(), lambda rng, n: np.array([0.9, -0.3, 0.2, 0.4])),
    "stretched": (lambda: linkage(3.999, prescribed=False).compile(), lambda rng, n: np.array([0.1, -0.1, 0.05, 0.1])),
}


@pytest.mark.parametrize("case", CASES)
def test_by_where_it_was_open(case):
    make, start = CASES[case]
    model, rng = make(), np.random.default_rng(5)
    q0 = start(rng, model.n)
    q, steps = closed(model, q0)
    assert len(steps) > 2
    assert any(step.shortened for step in steps) == (case == "far")
    d = rng.normal(size=model.n)
    found = closing_tangent(model, steps, q, np.eye(model.n)) @ d
    expected = along(lambda x: closed(model, q0 + x * d)[0], 1e-5 if case == "stretched" else 1e-4)
    assert np.abs(found - expected).max() < 1e-7 * np.abs(expected).max()


def test_by_parameters():
    design, t = sp.Design(linkage, reach=1.3, size=0.9, angle=-0.8, speed=1.0), 0.2
    model, q0 = design.model(), np.array([0.0, 1.5, 0.4, 0.6])

    def at(**values):
        other, start = design.model(**values), q0.copy()
        start[0] = other.prescribed[0].motion(t)[0][0]
        return other, *closed(other, start)

    q, steps = at()[1:]
    found = closed_by_parameter(model, steps, q, t)
    for j, (name, value) in enumerate(design.values.items()):
        expected = along(lambda x, name=name, value=value: at(**{name: value + x})[1], 1e-4)
        assert np.abs(found[:, j] - expected).max() < 1e-7 * max(1.0, np.abs(expected).max()), name


def test_the_loops_stay_closed():
    model, rng = looped(), np.random.default_rng(6)
    q, steps = closed(model, 0.1 * rng.normal(size=model.n))
    zero = np.zeros(model.n)
    E = loop_terms(model, q, zero, zero, model.loops).error_derivative
    assert np.abs(E @ closing_tangent(model, steps, q, np.eye(model.n))).max() < 1e-14
