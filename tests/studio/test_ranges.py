"""How far sliders reach."""

import numpy as np
import pytest
from studio_robots import make_arm

import supple as sp
from supple.studio.drive import Driver
from supple.studio.ranges import REACH, coordinate_reaches, input_reaches, round_up
from supple.viz.view import State


def reaches_of(model, u=None, size=0.5, span=1.0):
    q = model.assemble() if model.loops else model.rest
    state = State(np.asarray(q), None, np.zeros(model.nu), 0.0)
    return input_reaches(model, state, size, Driver(model, u), span)


def test_round_numbers():
    assert [round_up(x) for x in (0.9, 1.0, 1.1, 3.0, 0.0051, 700.0)] == pytest.approx([1, 1, 2, 5, 0.01, 1000])
    assert round_up(0.0) == round_up(np.inf) == round_up(np.nan) == 1.0


def test_tensions_begin_at_zero_and_bend_the_arm_visibly(arm):
    left, right = reaches_of(arm)
    assert (left.low, right.low) == (0.0, 0.0)
    assert left.high == right.high
    bent = arm.pose(arm.statics([left.high, 0.0]).q, "arm")[:3, 3] - arm.pose(arm.statics().q, "arm")[:3, 3]
    assert 0.2 * REACH * 0.5 < np.linalg.norm(bent) < 5.0 * REACH * 0.5


def test_laws_say_how_far(arm):
    left, right = reaches_of(arm, [sp.laws.Ramp(0.0, 8.0, t0=0.0, t1=1.0), 0.0])
    assert left.high == 10.0
    assert right.high == reaches_of(arm)[1].high


def test_drives_of_robots_that_nothing_holds_accelerate_them():
    robot = sp.Robot("cart", gravity=(0, 0, 0))
    robot.add_link("cart", sp.Rigid.box((0.1, 0.1, 0.1), density=1000.0), joint=sp.Prismatic("x"))
    robot.add(sp.JointDrive("motor", "cart"))
    (motor,) = reaches_of(robot.compile())
    assert motor.high == pytest.approx(10.0)  # a kilogramme by ten metres per second squared
    assert motor.low == -motor.high


def test_loops_are_minded(four_bar):
    (motor,) = reaches_of(four_bar)
    assert np.isfinite(motor.high)
    assert motor.high > 0.0


def test_joints_move_within_their_limits():
    arm = make_arm(limits=(-0.5, 1.0)).compile()
    (joint,) = coordinate_reaches(arm, 0.5)
    assert (joint.low, joint.high) == (-0.5, 1.0)
    assert joint.number == 0
    assert joint.step == pytest.approx(1.5 / 200)


def test_robots_without_joints_offer_their_strains():
    robot = sp.Robot("rod")
    silicone = sp.Material(young=1e6, poisson=0.5, density=1000.0)
    rod = sp.Rod(0.5, sp.Circle(0.01), silicone, sp.Legendre(bend_y=1, bend_z=1))
    robot.add_link("rod", rod)
    assert [reach.name for reach in coordinate_reaches(robot.compile(), 0.5)][:1] == ["rod.bend_y_0"]


def test_prescribed_joints_have_no_slider():
    robot = make_arm()
    robot.add(sp.Prescribed("arm", lambda t: (0.1 * t, 0.1, 0.0)))
    assert all(reach.number != 0 for reach in coordinate_reaches(robot.compile(), 0.5))


def test_no_stiffness_is_asked_for_where_laws_drive_all_inputs(arm, monkeypatch):
    """It would be compiled for nothing, the first time on a machine."""
    expected = reaches_of(arm, [2.0, lambda t: 3.0])
    monkeypatch.setattr("supple.studio.ranges.tangents_at", lambda *given, **options: 1 / 0)
    assert reaches_of(arm, [2.0, lambda t: 3.0]) == expected
    with pytest.raises(ZeroDivisionError):
        reaches_of(arm, [2.0, 0.0])
