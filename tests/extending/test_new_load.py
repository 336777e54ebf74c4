"""The page on adding a load holds code that runs, and a tangent that is right."""

import pickle

import numpy as np
import pytest

import supple as sp
from extension_pages import code_blocks, package
from helpers import difference_jacobian, random_pose, relative_error
from load_cases import generalised_force


@pytest.fixture(scope="module")
def fan(tmp_path_factory):
    """The page's code blocks as a module: Numba caches what stands in a file."""
    blocks = code_blocks("load.md")
    assert len(blocks) == 2
    with package(tmp_path_factory.mktemp("extending"), "fans", fan_example="\n\n".join(blocks)) as found:
        yield found.fan_example


def test_the_example_runs_and_reports_the_load(fan):
    assert fan.report.ok(1e-9)
    assert {row.load for row in fan.report.rows} == {"total", "fan"}
    assert fan.model.input_names == ("fan",)


@pytest.mark.parametrize("s", [0.0, 0.31, 1.0])
def test_it_may_sit_anywhere(fan, s):
    """Base, between nodes, tip; on a clamped rod's base it does nothing."""
    for joint in (sp.Fixed(), sp.Spherical()):
        robot = sp.Robot("fan")
        robot.add_link("boom", fan.rod, joint=joint)
        robot.add(fan.Fan("fan", "boom", s, random_pose(np.random.default_rng(2)), drag=0.7))
        model = robot.compile()
        q, v, a = 0.4 * np.random.default_rng(1).standard_normal((3, model.n))
        assert model.check_derivatives(q, v, a, [3.0]).ok(1e-9)


def test_its_work_is_right(fan):
    """Thrust along the fan's axis, drag against the velocity of its point."""
    rng = np.random.default_rng(4)
    offset = random_pose(rng)
    robot = sp.Robot("fan")
    robot.add_link("body", sp.Rigid.box((0.1, 0.2, 0.3), density=100.0), joint=sp.Free())
    robot.add(fan.Fan("fan", "body", 0.0, offset, drag=0.7))
    model = robot.compile()
    q, v, a = rng.standard_normal((3, 6))
    jacobian = difference_jacobian(lambda x: (model.pose(x, "body", 0.0) @ offset)[:3, 3], q)
    axis = (model.pose(q, "body", 0.0) @ offset)[:3, 0]
    expected = jacobian.T @ (3.0 * axis - 0.7 * jacobian @ v)
    assert relative_error(generalised_force(model, q, v, u=[3.0]), expected) < 1e-10
    assert relative_error(model.actuation(q)[:, 0], jacobian.T @ axis) < 1e-10
    assert model.check_derivatives(q, v, a, [3.0]).ok(1e-9)


def test_it_pickles_and_bad_input_is_named(fan):
    q = 0.2 * np.ones(fan.model.n)
    copy = pickle.loads(pickle.dumps(fan.model))
    assert np.array_equal(copy.residual(q, q, q, [1.0]), fan.model.residual(q, q, q, [1.0]))
    robot = sp.Robot("fan")
    robot.add_link("body", sp.Rigid.box((0.1, 0.2, 0.3), density=100.0), joint=sp.Free())
    robot.add(fan.Fan("fan", "body", 0.0, np.eye(4), drag=-1.0))
    with pytest.raises(sp.ModelError, match="Fan 'fan': drag"):
        robot.compile()
