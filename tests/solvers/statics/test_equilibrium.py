"""What an equilibrium tells: stiffness, eigenvalues, free directions, stability, and itself in one line."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, relative_error


def hinged(stiffness, *items):
    """An upright pendulum of 1 kg m on a hinge with a spring."""
    robot = sp.Robot("upright")
    body = sp.Rigid(1.0, np.eye(3), com=(0.0, 0.0, 1.0))
    robot.add_link("body", body, joint=sp.Revolute("y", stiffness=stiffness))
    for item in items:
        robot.add(item)
    return robot.compile()


def test_stiffness_is_the_slope_of_the_residual():
    model = hinged(20.0, sp.PointWrench("body", (0, 0, 0, 3.0, 0, 0), s=0.0, offset=sp.pose((0, 0, 1))))
    found = model.statics()
    zero = np.zeros(1)
    slope = difference_jacobian(lambda q: model.residual(q, zero, zero), found.q, 1e-4)
    assert relative_error(found.stiffness, slope) < 1e-9
    assert found.eigenvalues == pytest.approx(slope[0])
    assert found.smallest_eigenvalue == pytest.approx(slope[0, 0])


@pytest.mark.parametrize(("stiffness", "stable"), [(20.0, True), (9.81, None), (5.0, False)])
def test_stability(stiffness, stable):
    """A spring stronger, as strong, and weaker than the weight that it balances."""
    found = hinged(stiffness).statics(globalise=False)
    assert found.stable is stable
    assert found.free_directions.shape == (1, 1 if stable is None else 0)
    if stable is None:
        assert "a neutral equilibrium" in found.message or not found.doubtful


def test_what_did_not_converge_is_neither():
    robot = sp.Robot("falling")
    robot.add_link("body", sp.Rigid(1.0, np.eye(3)), joint=sp.Prismatic("z"))
    with pytest.warns(sp.ModelWarning, match="nothing resists body.translation"):
        found = robot.compile().statics()
    assert not found
    assert found.stable is None
    assert "not converged" in repr(found)


def test_it_is_told_in_one_line():
    found = hinged(20.0).statics()
    assert bool(found)
    assert repr(found).startswith("<Equilibrium of 'upright': 1 coordinate, residual")
    assert "\n" not in repr(found)
    batch = hinged(20.0).statics_batch(np.zeros((3, 0)))
    assert repr(batch) == "<Equilibria: 3, 3 of them converged>"
