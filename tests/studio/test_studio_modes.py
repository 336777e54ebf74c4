"""What the studio does with a robot, without threads."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from helpers import make_case
from load_kinds import KINDS, add_kinds
from supple.studio.modes import Act, move, pose, replay, rest
from supple.systems import SYSTEMS
from supple.viz.motion import states_at


def test_at_rest_it_is_where_statics_says(arm):
    act = Act.of(arm)
    act.driver.held = {0: 3.0, 1: 0.5}
    rest(act)
    assert act.message == ""
    assert_allclose(act.q, arm.statics([3.0, 0.5]).q, atol=1e-8)
    assert_allclose(act.state.u, [3.0, 0.5])
    act.driver.held[0] = 0.0
    rest(act)
    assert_allclose(act.q, arm.statics([0.0, 0.5]).q, atol=1e-8)


def test_without_an_equilibrium_it_stays_and_says_why():
    robot = sp.Robot("falling")
    robot.add_link("body", sp.Rigid.sphere(0.1, density=1000.0), joint=sp.Free())
    act = Act.of(robot.compile())
    before = act.q.copy()
    rest(act)
    assert "no equilibrium" in act.message
    assert_allclose(act.q, before)


def test_what_is_in_the_way_is_told_of_where_the_robot_is():
    """Not of where it began, where it is looked for at last."""
    robot = sp.Robot("turning")
    bar = sp.Rigid.cylinder(0.2, 0.01, density=1000.0)
    robot.add_link("column", bar, sp.Revolute("z"))
    robot.add_link("arm", bar, sp.Revolute("y"), "column")
    robot.add(sp.JointDrive("motor", "column"))
    act = Act.of(robot.compile())
    rest(act)
    assert not act.message
    hanging = act.q.copy()
    for seconds in (np.inf, 0.0):
        act.driver.held = {0: 0.1}
        rest(act, seconds=seconds)
        assert "nothing resists column.rotation" in act.message
        assert "largest unbalanced force is 0.1," in act.message
        assert_allclose(act.q, hanging)


def test_nothing_holds_the_shoulder_of_the_hybrid_arm_against_its_motor():
    system = SYSTEMS["hybrid-arm"]()
    model = system.robot.compile()
    act = Act.of(model, *system.start(model))
    rest(act)
    assert not act.message
    act.driver.held = {0: 0.1}
    rest(act, seconds=0.0)
    assert "nothing resists shoulder.rotation" in act.message


def test_live_dynamics_are_those_of_step(arm):
    act = Act.of(arm, step=0.004)
    act.driver.held = {0: 2.0, 1: 0.0}
    assert move(act, 0.04)
    q, v = arm.rest, np.zeros(arm.n)
    for k in range(10):
        q, v = arm.step(q, v, [2.0, 0.0], 0.004, t=0.004 * k)
    assert_allclose(act.q, q, rtol=1e-12, atol=1e-14)
    assert_allclose(act.v, v, rtol=1e-12, atol=1e-12)
    assert act.t == pytest.approx(0.04)


def test_live_dynamics_agree_with_a_simulation(arm):
    act = Act.of(arm, u=lambda t: [1.0 + t, 0.0], step=1e-3)
    assert move(act, 0.2)
    reference = arm.simulate(0.2, u=lambda t: [1.0 + t, 0.0], method=sp.NDF(rtol=1e-9, atol=1e-11))
    assert np.linalg.norm(act.q - reference.q[-1]) < 1e-2 * np.linalg.norm(reference.q[-1])


def test_a_budget_makes_it_slower_but_not_different(arm):
    act, other = Act.of(arm, step=0.002), Act.of(arm, step=0.002)
    move(act, 0.02, budget=0.0)
    assert act.t == pytest.approx(0.002)
    move(other, 0.002)
    assert_allclose(act.q, other.q)


def test_no_step_begins_that_would_last_beyond_the_budget(arm, monkeypatch):
    clock = [0.0]

    def step(act, h, halvings):
        clock[0] += 0.005
        act.t += h
        return True

    monkeypatch.setattr("supple.studio.modes._one_step", step)
    monkeypatch.setattr("supple.studio.modes.time.perf_counter", lambda: clock[0])
    for budget, steps in ((-1.0, 1), (0.004, 1), (0.012, 2), (0.0151, 3), (np.inf, 8)):
        act = Act.of(arm, None, None, None, 0.0, 1.0 / 240.0)
        move(act, 1.0 / 30.0, budget)
        assert round(act.t * 240.0) == steps


def test_a_step_that_fails_is_halved_and_then_given_up(arm, monkeypatch):
    model = arm
    taken = []
    plain = type(model).step

    def step(self, q, v, u, dt, *rest_of):
        if dt > 1e-3:
            raise sp.ConvergenceError("too long")
        taken.append(dt)
        return plain(self, q, v, u, dt, *rest_of)

    monkeypatch.setattr(type(model), "step", step)
    act = Act.of(model, step=0.004)
    assert move(act, 0.004)
    assert_allclose(taken, 0.001)
    assert act.t == pytest.approx(0.004)
    monkeypatch.setattr(type(model), "step", lambda *a: (_ for _ in ()).throw(sp.ConvergenceError("never")))
    assert not move(act, 0.004)
    assert act.message == "never"


def test_reset_goes_back_to_the_beginning(arm):
    act = Act.of(arm)
    first = act.q.copy()
    move(act, 0.02)
    assert np.abs(act.q - first).max() > 0.0
    act.reset()
    assert_allclose(act.q, first)
    assert act.t == 0.0


def test_posing_closes_loops(four_bar):
    act = Act.of(four_bar)
    pose(act, {0: act.q[0] + 0.3})
    assert act.message == ""
    assert np.abs(four_bar.loop_error(act.q)).max() < 1e-8
    assert abs(act.q[0] - act.start[0][0]) > 0.05


def test_posing_sets_what_is_asked(arm):
    act = Act.of(arm)
    pose(act, {0: 0.4, 2: -1.0})
    assert_allclose(act.q[[0, 2]], [0.4, -1.0])


def test_a_motion_is_replayed_at_any_time(arm, motion):
    act = Act.of(arm)
    state = replay(act, motion, 0.137)
    expected = states_at(motion, np.array([0.137]))[0]
    assert_allclose(state.q, expected.q)
    assert_allclose(act.v, expected.v)
    assert act.t == pytest.approx(0.137)


@pytest.mark.filterwarnings("ignore::supple.ModelWarning")  # random laws without tangents
@pytest.mark.parametrize("seed", range(6))
def test_random_robots_with_all_kinds_of_loads_can_be_watched(seed):
    rng = np.random.default_rng(700 + seed)
    robot = make_case(700 + seed, soft=0.2, splines=0.2).robot
    kinds = rng.choice(sorted(KINDS), 6, replace=False)
    model = add_kinds(rng, robot, kinds).compile()
    act = Act.of(model, step=2e-4)
    went_on = move(act, 4e-4)
    assert went_on or act.message  # a random robot may be too stiff to go on, but never without a word
    assert np.all(np.isfinite(act.q))
    assert np.all(np.isfinite(act.state.q))
