"""Derivatives of motions along the steps that were made: backward (vjp) and forward (jvp) along their tapes.

Steps, orders, charts and which rows of loops are kept are those of the run; they are not differentiated.  Where an
event stopped or switched the motion, its time moves: dt = -(g_q dq + g_v dv) / (dg/dt).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import DesignError, ModelError
from supple.gradients.design import how_to_have
from supple.gradients.effort_frames import efforts_by_coordinate, efforts_by_parameter
from supple.gradients.gradient import GIVEN, Gradient, NoParameters, Variation, refuse_overflow
from supple.gradients.motion_directions import MotionDirection
from supple.gradients.motion_events import (
    are_numbers,
    jump_backward,
    jump_forward,
    moved_rows,
    pull_back_moves,
    push_moves,
)
from supple.gradients.motion_inputs import InputForm
from supple.gradients.motion_outputs import Outputs, checked
from supple.gradients.motion_parameters import MotionParameters
from supple.gradients.motion_start import start_tangents
from supple.gradients.piece_sweep import PieceSweep
from supple.model.accelerations import joint_efforts

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.motion.tape import Piece, Tape
    from supple.solvers.motion.trajectory import Trajectory

Array = np.ndarray


def recorded(motion: Trajectory) -> tuple[Model, Tape]:
    """The model and the tape of a motion, or an error that says which is missing."""
    if motion.tape is None:
        raise ModelError("this motion was not recorded: simulate with record=True to have its derivatives")
    if motion.model is None:
        raise ModelError("this motion has lost its model, of which its derivatives are made")
    return motion.model, motion.tape


def vjp(motion: Trajectory, **given: Any) -> Gradient:
    """The gradient of a scalar whose derivatives by the results are given; see `Trajectory.vjp`."""
    model, tape = recorded(motion)
    outputs = Outputs(motion, model)
    outputs.add(**given)
    given_rows = np.vstack([outputs.rows, np.zeros(outputs.rows.shape[1])])
    forms = _forms(model, tape)
    held = np.zeros((len(tape.held), model.nu))
    parameters = None if model.design is None else MotionParameters(model)
    _pull_back_outputs(motion, model, tape, forms, outputs.u, given_rows, held, parameters)
    pull_back_moves(moved_rows(model, tape, _input_rates(motion, tape, forms)), given_rows, outputs.u)
    q_bar, v_bar, z_bar = np.zeros(model.n), np.zeros(model.n), np.zeros(motion.z.shape[1])
    for k in range(len(tape.pieces) - 1, -1, -1):
        piece = tape.pieces[k]
        sweep = PieceSweep(model, tape, piece, given_rows, parameters)
        q_bar, v_bar, z_bar, t_bar = sweep.backward(forms[id(piece.u)], held, _last_sample(tape, k))
        state_bar = np.concatenate([q_bar, v_bar, z_bar])
        q_bar, v_bar = _pull_back_start(model, piece, q_bar, v_bar, parameters)
        if piece.jump is not None:
            u_bar, form = np.zeros(model.nu), forms[id(piece.u)]
            if are_numbers(model, piece.jump.change.u):
                u_bar = form.vector_of(form.gradient)
            dt_bar = t_bar - float(state_bar @ piece.jump.rate)
            given_rows[-1] = jump_backward(model, piece.jump, dt_bar, u_bar, q_bar, v_bar, z_bar)
    p: dict[str, Any] = NoParameters(how_to_have(model))
    if parameters is not None:
        parameters.add_first_states(z_bar)
        if tape.pieces[0].rested:
            parameters.add_rest(q_bar)
        p = parameters.gradient(outputs)
    u_bar = forms[id(tape.pieces[0].u)].gradient
    refuse_overflow({"u": u_bar, "q0": q_bar, "v0": v_bar, "z0": z_bar}, GIVEN)
    return Gradient(u_bar, p=p, q0=q_bar, v0=v_bar, z0=z_bar)


def jvp(motion: Trajectory, q0: Any, v0: Any, u: Any, z0: Any, p: Any) -> Variation:
    """How the results change along a direction; see `Trajectory.jvp`."""
    model, tape = recorded(motion)
    n, nc, nz, T = model.n, model.nc, motion.z.shape[1], len(motion.t)
    dq, dv, dz = (checked(x, (k,), name) for x, k, name in ((q0, n, "q0"), (v0, n, "v0"), (z0, nz, "z0")))
    direction = _direction(model, p)
    if direction is not None:
        dz = dz + direction.first_states()
        if tape.pieces[0].rested:
            dq = dq + direction.rest()
    rows, forms, held = np.zeros((T + 1, 4 * n + nc + nz)), _forms(model, tape), np.zeros((len(tape.held), model.nu))
    changes = dict.fromkeys(forms)
    changes[id(tape.pieces[0].u)] = u
    moved, dt = moved_rows(model, tape, _input_rates(motion, tape, forms)), 0.0
    for piece in tape.pieces:
        if piece.jump is not None:
            dq, dv, dz, du, dt = jump_forward(model, piece.jump, rows[-1])
            if are_numbers(model, piece.jump.change.u):
                changes[id(piece.u)] = forms[id(piece.u)].formed(du)
        start = start_tangents(model, piece.q, piece.v, piece.t)
        extra = (0.0, 0.0) if direction is None else direction.start(start, piece.t)
        dq = start.Q @ dq + extra[0]
        dv = start.V @ dv + start.X @ dq + extra[1]
        if piece.jump is not None:
            dq, dv, dz = np.split(np.concatenate([dq, dv, dz]) - piece.jump.rate * dt, [n, 2 * n])
        sweep = PieceSweep(model, tape, piece, rows, direction, forward=True)
        sweep.forward(forms[id(piece.u)], changes[id(piece.u)], held, dq, dv, dz, dt)
    own = np.zeros((T, model.nu))
    push_moves(moved, rows, own)
    rows = rows[:-1]
    du = own + _push_outputs(motion, model, tape, forms, changes, rows, held, direction)
    efforts = joint_efforts(model, motion.q, np.ascontiguousarray(rows[:, 3 * n + nc + nz :]))
    _push_frames(motion, model, rows, direction, efforts)
    parts = np.split(rows, [n, 2 * n, 3 * n, 3 * n + nc, 3 * n + nc + nz], axis=1)
    refuse_overflow({"states": rows, "u": du, "efforts": efforts}, "the changes that are given")
    change = None if direction is None else direction.change
    return Variation(parts[0], parts[1], parts[2], du, parts[4], parts[3], efforts, motion, change)


def _direction(model: Model, p: Any) -> MotionDirection | None:
    """Changes of parameters by name; None if nothing changes."""
    if p is None:
        return None
    if model.design is None:
        raise DesignError(f"p: model {model.name!r} has no parameters; {how_to_have(model)}")
    change = model.design.design.pack(p)
    return MotionDirection(model, change) if change.any() else None


def _push_frames(
    motion: Trajectory, model: Model, rows: Array, direction: MotionDirection | None, efforts: Array
) -> None:
    """Efforts of prescribed joints are given in frames that change with their laws, with time and with screws."""
    fixed = model.fixed_coordinates
    for k in range(len(efforts) if len(fixed) else 0):
        at = motion.q[k], motion.efforts[k]
        efforts[k] += efforts_by_coordinate(model, *at) @ rows[k, fixed]
        if direction is not None:
            efforts[k] += efforts_by_parameter(model, *at) @ direction.change


def _forms(model: Model, tape: Tape) -> dict[int, InputForm]:
    """What users gave for inputs, by identity."""
    return {id(piece.u): InputForm(model, piece.u, tape.times, piece.hold) for piece in tape.pieces}


def _input_rates(motion: Trajectory, tape: Tape, forms: dict[int, InputForm]) -> Callable[[int], Array]:
    """How inputs (nu,) at the row of a number change with time alone; what is sampled is held."""
    owners = _owners(motion, tape)

    def rates(k: int) -> Array:
        form = forms[id(tape.pieces[owners[k]].u)]
        found = form.time_slopes(float(motion.t[k]), motion.q[k], motion.v[k], motion.z[k])
        return np.where(form.followed, 0.0, found) if tape.sampled else found

    return rates


def _last_sample(tape: Tape, k: int) -> int:
    """The sample of feedback that was held when piece k ended."""
    following = [piece.sample for piece in tape.pieces[k + 1 :]]
    return (following[0] if following else len(tape.held)) - 1


def _pull_back_start(
    model: Model, piece: Piece, q_bar: Array, v_bar: Array, parameters: MotionParameters | None
) -> tuple[Array, Array]:
    """Cotangents of the state that a piece was asked to begin at; those of parameters join the others."""
    start = start_tangents(model, piece.q, piece.v, piece.t)
    if parameters is not None:
        parameters.add_start(start, q_bar + start.X.T @ v_bar, v_bar, piece.t)
    return start.Q.T @ (q_bar + start.X.T @ v_bar), start.V.T @ v_bar


def _owners(motion: Trajectory, tape: Tape) -> Array:
    """Which piece drives each row of results, as `solvers.motion.record` has it."""
    begins = np.array([piece.t for piece in tape.pieces])
    return np.maximum(np.searchsorted(begins, motion.t, side="right") - 1, 0)


def _pull_back_outputs(
    motion: Trajectory,
    model: Model,
    tape: Tape,
    forms: dict[int, InputForm],
    u_bar: Array,
    rows: Array,
    held: Array,
    parameters: MotionParameters | None,
) -> None:
    """Cotangents of inputs that are results: by their laws, by the states they follow, by samples."""
    n, nc = model.n, model.nc
    if not u_bar.any():
        return
    for k, owner in enumerate(_owners(motion, tape)):
        piece = tape.pieces[owner]
        form, t = forms[id(piece.u)], float(motion.t[k])
        form.pull_back(np.array([t]), np.where(form.followed, 0.0, u_bar[k])[None])
        own = np.where(form.followed, u_bar[k], 0.0)
        if tape.sampled:
            held[_sample_at(tape, t)] += own
        elif own.any():
            slopes = form.slopes(t, motion.q[k], motion.v[k], motion.z[k])
            rows[k, : 2 * n] += own @ slopes[:, : 2 * n]
            rows[k, 3 * n + nc : 3 * n + nc + slopes.shape[1] - 2 * n] += own @ slopes[:, 2 * n :]
            if parameters is not None:
                parameters.add_inputs(form.excitation, own, t, motion.q[k], motion.v[k], motion.z[k])


def _push_outputs(
    motion: Trajectory,
    model: Model,
    tape: Tape,
    forms: dict[int, InputForm],
    changes: dict[int, Any],
    rows: Array,
    held: Array,
    direction: MotionDirection | None,
) -> Array:
    """Variations (T, nu) of inputs at output times."""
    n, nc = model.n, model.nc
    found = np.zeros((len(motion.t), model.nu))
    for k, owner in enumerate(_owners(motion, tape) if model.nu else ()):
        piece = tape.pieces[owner]
        form, t = forms[id(piece.u)], float(motion.t[k])
        found[k] = form.push_forward(np.array([t]), changes[id(piece.u)])[0]
        if tape.sampled:
            found[k] = np.where(form.followed, held[_sample_at(tape, t)], found[k])
        elif form.followed.any():
            slopes = form.slopes(t, motion.q[k], motion.v[k], motion.z[k])
            own = rows[k, 3 * n + nc : 3 * n + nc + slopes.shape[1] - 2 * n]
            found[k] = np.where(form.followed, slopes @ np.concatenate([rows[k, : 2 * n], own]), found[k])
            if direction is not None:
                found[k] += direction.outputs(form.excitation, t, motion.q[k], motion.v[k], motion.z[k])
    return found


def _sample_at(tape: Tape, t: float) -> int:
    """The sample of feedback that is held at a time."""
    moments = np.array([sample.t for sample in tape.held])
    return max(int(np.searchsorted(moments, t, side="right")) - 1, 0)
