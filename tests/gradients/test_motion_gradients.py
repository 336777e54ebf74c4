"""Derivatives of motions: against differences along the recorded steps, forward against backward; bad input."""

import dataclasses
import pickle

import numpy as np
import pytest

import supple as sp
from motion_cases import METHODS, ROBOTS, bouncing, check, check_apart, cotangents, recorded, small
from supple.errors import ModelError, ShapeError, StateError


def cases():
    """All robots with all methods; replays of Radau's many short steps on loops are slow."""
    for robot in ROBOTS:
        for method in METHODS:
            slow = method == "radau" and robot in ("loop", "index3")
            yield pytest.param(robot, method, marks=[pytest.mark.slow] if slow else [])


@pytest.mark.filterwarnings("ignore:q0 leaves loops open")
@pytest.mark.parametrize(("robot", "method"), list(cases()))
def test_against_differences_along_recorded_steps(robot, method):
    motion, q0, v0, u = recorded(robot, method)
    if robot == "flyer":
        assert motion.stats["recentred"] > 0
    if method == "radau":  # its accelerations hold rounding divided by h^2, in replays too
        # and so do velocities of index 3, divided by h
        check_apart(motion, q0, v0, u, (2e-3, 2e-4) if robot == "index3" else (2e-5, 2e-6))
    elif (robot, method) == ("loop", "ndf"):  # its first steps are short: the same, if less of it
        check(motion, q0, v0, u, steps=(2e-4, 2e-5))
    else:
        check(motion, q0, v0, u)


def test_slack_tendons_and_separating_contact_give_numbers():
    model = bouncing()
    t = np.linspace(0.0, 0.1, 6)
    motion = model.simulate(t, None, None, np.zeros(2), METHODS["alpha"], record=True)
    gradient = motion.vjp(q=np.ones((6, model.n)), v=np.ones((6, model.n)))
    assert all(np.isfinite(x).all() for x in (gradient.q0, gradient.v0, gradient.u))


def test_a_motion_must_be_recorded():
    model, q0, v0, _ = small()
    motion = model.simulate(0.01, q0, v0, None, METHODS["alpha"])
    with pytest.raises(ModelError, match="not recorded: simulate with record=True"):
        motion.vjp(q=np.ones_like(motion.q))
    with pytest.raises(ModelError, match="not recorded"):
        motion.jvp(q0=q0)


def test_bad_cotangents_are_named():
    _, q0, v0, run = small()
    motion = run(q0, v0, None)
    with pytest.raises(ShapeError, match=r"q has shape \(5,\), must be \(5, 5\)"):
        motion.vjp(q=np.ones(5))
    with pytest.raises(StateError, match="v holds values that are not finite"):
        motion.vjp(v=np.full((5, 5), np.nan))
    with pytest.raises(ShapeError, match=r"tip\['arm'\] has shape"):
        motion.vjp(tip={"arm": np.ones((5, 2))})
    with pytest.raises(ModelError, match="leg"):
        motion.vjp(tip={"leg": np.ones((5, 3))})
    with pytest.raises(ModelError, match="pose: a station"):
        motion.vjp(pose={"arm": np.ones((5, 6))})
    with pytest.raises(ModelError, match="tip is"):
        motion.vjp(tip=np.ones((5, 3)))
    with pytest.raises(ShapeError, match="q0 has shape"):
        motion.jvp(q0=np.ones(3))
    with pytest.raises(ShapeError, match="u has shape"):
        motion.jvp(u=np.ones(3))
    with pytest.raises(ModelError, match=r"Sine has no parameter 'speed'.*amplitude"):
        run(q0, v0, [sp.laws.Sine(1.0, 2.0, offset=2.0), 0.07]).jvp(u=[{"speed": 1.0}, None])


def test_a_pickled_motion_keeps_its_derivatives():
    model, q0, v0, run = small()
    motion = run(q0, v0, np.array([1.0, 0.07]))
    copy, w = pickle.loads(pickle.dumps(motion)), np.ones((5, model.n))
    assert np.array_equal(copy.vjp(q=w).q0, motion.vjp(q=w).q0)
    without = dataclasses.replace(copy, model=None)
    with pytest.raises(ModelError, match="lost its model"):
        without.vjp(q=w)


def test_recording_and_checkpoints_do_not_go_together(tmp_path):
    model, q0, v0, _ = small()
    with pytest.raises(ModelError, match="record=True keeps"):
        model.simulate(0.01, q0, v0, record=True, checkpoint=tmp_path / "run")


def test_recording_changes_nothing():
    model, q0, v0, run = small()
    motion = run(q0, v0, None)
    plain = model.simulate(np.linspace(0.0, 0.04, 5), q0, v0, None, METHODS["alpha"])
    assert np.array_equal(motion.q, plain.q)
    assert plain.tape is None
    assert "MB" in repr(motion.tape)


@pytest.mark.parametrize("method", ["ndf", "rk45"])
def test_long_tapes_come_in_parts(method, monkeypatch):
    monkeypatch.setattr("supple.solvers.motion.tape.BUFFER", 0)
    monkeypatch.setattr("supple.gradients.piece_sweep.STAGES", 64)
    motion, *_ = recorded("loop", method)
    whole = motion.vjp(**cotangents(motion))
    assert len(motion.tape.pieces[0].parts) > 1
    monkeypatch.undo()
    again, *_ = recorded("loop", method)
    assert np.allclose(again.vjp(**cotangents(again)).v0, whole.v0, rtol=1e-12, atol=0.0)


def test_jumps_of_laws_restart_a_motion():
    _, q0, v0, run = small(t=0.04, method="adaptive")
    law = sp.laws.Steps([0.0, 0.013, 0.031], [1.0, 2.0, 1.5])
    motion = run(q0, v0, [law, 0.07])
    check(motion, q0, v0, [law, 0.07])
