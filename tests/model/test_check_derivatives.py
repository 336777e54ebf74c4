"""The report on derivatives: right ones pass, a wrong one is caught and named."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, relative_error
from load_cases import loaded_case
from motions import four_bar
from reference_robots import cable_manipulator
from supple.compilation.binder import Bound
from supple.core.arrays import floats, handle_at, space_view
from supple.core.loads import EXTERNAL, TANGENT
from supple.jit import LoadKernel
from supple.model.check_derivatives import TOTAL, difference, load_alone


def _wind(tree, space, data, mode):
    """F_x = c V_x on segment 1, its tangent times a factor: data = value (1, 2) [c, factor]."""
    value, work = floats(handle_at(data, 1), 0), space_view(space).work[1]
    if mode < 0:
        return
    work.F[3] -= value[0, 0] * work.V[3]
    if mode == TANGENT:  # the segment does not turn, so nothing else changes
        work.N[3, 3] -= value[0, 0] * value[0, 1]


wind = LoadKernel(_wind)


class Wind:
    """A damper along x; its tangent is right if the factor is one."""

    def __init__(self, name, factor):
        self.name, self.factor = name, factor

    def stations(self):
        return [("slider", 0.0)]

    def bind(self, binder):
        return Bound(self.name, wind, (np.array([[-0.7, self.factor]]),), EXTERNAL)


def slider(*loads):
    robot = sp.Robot("slider")
    robot.add_link("slider", sp.Rigid(1.0, (1.0, 1.0, 1.0), tip=sp.pose((0.1, 0, 0))), joint=sp.Prismatic("x"))
    robot.add_link("bob", sp.Rigid.sphere(0.1, density=900.0), joint=sp.Revolute("y"), parent="slider")
    robot.add(sp.Spring("tether", ("world", 0.0), ("bob", 0.0), stiffness=5.0, rest_length=0.1))
    for load in loads:
        robot.add(load)
    return robot.compile()


STATE = np.array([[0.3, 0.4], [0.5, -0.6], [0.1, 0.2]])


def test_a_wrong_tangent_is_caught_and_named():
    report = slider(Wind("calm", 1.0), Wind("gale", 0.9)).check_derivatives(*STATE)
    assert not report.ok()
    assert not report.ok(1e-2)
    assert report.worst.load == "gale"
    assert report.worst.derivative == "dR/dv"
    assert report.worst.error == pytest.approx(0.1, rel=1e-3)
    wrong = {row.load for row in report.rows if row.error > 1e-6}
    assert wrong == {"gale", TOTAL}


def test_right_tangents_pass():
    report = slider(Wind("calm", 1.0)).check_derivatives(*STATE)
    assert report.ok(1e-9)
    assert [row.load for row in report.rows[::4]] == [TOTAL, "tether", "calm"]


def test_the_worst_load_is_named():
    report = slider(Wind("w", 1.0), Wind("gust", 0.5)).check_derivatives(*STATE)
    assert report.worst.load == "gust"


def test_the_report_prints_as_a_table():
    robot = cable_manipulator()
    robot.add(sp.Tendon("pull", {"arm": lambda X: (0.0, 0.01)}))
    model = robot.compile()
    q, v, a = 0.2 * np.random.default_rng(1).standard_normal((3, 24))
    report = model.check_derivatives(q, v, a, [3.0])
    lines = str(report).splitlines()
    assert lines[0].split() == ["load", "derivative", "error", "largest", "entry"]
    assert len(lines) == 1 + len(report.rows) == 11
    assert any(line.startswith("pull") and "dR/du" in line for line in lines)
    assert report.ok(1e-9)


def test_a_load_alone():
    """The parts add up to the whole: sum of loads alone = loaded minus bare."""
    case = loaded_case(7)
    model, q, v, a, u = case[1:]
    bare = sp.Robot("bare", gravity=case.robot.gravity)
    for link in case.robot.links:
        bare.add_link(link.name, link.body, joint=link.joint, parent=link.parent, at=link.at)
    parts = sum(load_alone(model, load).residual(q, v, a, u) for load in model.loads)
    assert relative_error(bare.compile().residual(q, v, a) + parts, model.residual(q, v, a, u)) < 1e-12


def test_differences_are_of_fourth_order():
    x = np.array([0.3, 50.0])
    found = difference(lambda y: np.array([np.sin(y[0]) * y[1], np.cos(0.1 * y[1])]), x)
    exact = difference_jacobian(lambda y: np.array([np.sin(y[0]) * y[1], np.cos(0.1 * y[1])]), x)
    assert relative_error(found, exact) < 1e-11


def test_bad_states_are_refused():
    with pytest.raises(sp.ShapeError, match="q has shape"):
        slider().check_derivatives([1.0], [0.0, 0.0], [0.0, 0.0])


def test_multipliers_of_loops_are_looked_at():
    model, q = four_bar()
    lam = np.array([3.0, -2.0])[: model.nc]
    report = model.check_derivatives(q, 0.3 * q, q, lam=lam)
    assert report.ok(1e-8)
    (row,) = [row for row in report.rows if row.derivative == "dR/dlambda"]
    assert row.size > 0.0
    (loop,) = {row.load for row in report.rows} - {TOTAL}
    assert next(row.size for row in report.rows if (row.load, row.derivative) == (loop, "dR/dq")) > 0.0


def test_a_kink_within_the_step_does_not_count_as_wrong():
    """A ball 50 um above the floor, whose contact begins 200 um away in differences of the usual step."""
    robot = sp.Robot("ball")
    robot.add_link("ball", sp.Rigid.sphere(0.1, density=900.0), joint=sp.Prismatic("z"))
    floor = sp.Plane(normal=(0, 0, 1), height=-0.1 - 5e-5)
    robot.add(sp.Contact("floor", a=sp.Ball(0.1, link="ball"), b=floor, stiffness=1e6, exponent=1.5))
    assert robot.compile().check_derivatives([0.0], [0.1], [0.2]).ok(1e-8)
