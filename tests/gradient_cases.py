"""Gradients by numbers of a model against central differences of the same numbers."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from supple.core.load_data import incidental
from supple.core.loads import CONSTRAINT
from supple.core.records import ROD, SCREW, pose_t
from supple.gradients.array_slopes import tells
from supple.gradients.parameters import residual_sums
from supple.model.changes import changed_model

#: Arrays of a tree, and of its records, by which residuals are differentiated.
FIELDS = (
    ("placement", None),
    ("segments", "half"),
    ("segments", "bracket"),
    ("segments", "rest"),
    ("segments", "inertia"),
    ("phi", None),
    ("screws", None),
    ("gravity", None),
    ("stiffness", None),
    ("damping", None),
    ("rest", None),
    ("limits", None),
    ("nodes", "rest"),
    ("psi", None),
)

STEP = 1e-5


class State:
    """A state of a model at which y . R + rows . (rows of loops) is looked at."""

    def __init__(self, rng, model, q=None, t=0.3):
        self.t = t
        self.q = 0.3 * rng.standard_normal(model.n) if q is None else np.array(q)
        self.v, self.a = 0.5 * rng.standard_normal((2, model.n))
        self.y, self.u = rng.standard_normal(model.n), rng.uniform(0.1, 1.0, model.nu)
        self.lam, self.rows = rng.standard_normal(model.nc), rng.standard_normal((3, model.nc))

    def value(self, model):
        q, v, a = self.q, self.v, self.a
        value = self.y @ model.residual(q, v, a, self.u, self.lam, self.t)
        if model.nc:
            A = model.loop_jacobian(q)
            value += self.rows[0] @ model.loop_error(q) + self.rows[1] @ (A @ v)
            value += self.rows[2] @ (model.loop_rate(q, v) + A @ a)
        return value

    def sums(self, model):
        """The gradient; the model's own sums, which the next call overwrites."""
        return residual_sums(model, self.q, self.v, self.a, self.y, self.u, self.lam, self.t, rows=self.rows)


def difference(function):
    """d(function)/dx at 0, to fourth order."""
    low, below, above, high = (function(x * STEP) for x in (-2.0, -1.0, 1.0, 2.0))
    return (8.0 * (above - below) - (high - low)) / (12.0 * STEP), max(abs(low), abs(high))


def turned_poses(rng, poses):
    """A curve of poses through some, and its direction by entries."""
    w, p = rng.standard_normal((2, len(poses), 3))
    direction = np.zeros_like(poses)
    for i, pose in enumerate(poses):
        direction[i]["R"] = pose["R"] @ np.cross(np.eye(3), w[i])
        direction[i]["p"] = pose["R"] @ p[i]

    def at(h):
        moved = poses.copy()
        for i, pose in enumerate(poses):
            moved[i]["R"] = pose["R"] @ Rotation.from_rotvec(h * w[i]).as_matrix()
            moved[i]["p"] = pose["p"] + h * pose["R"] @ p[i]
        return moved

    return at, direction


def _direction(rng, model, field, part):
    """A change of one array of the tree that a robot could have."""
    array = getattr(model.parameters, field)
    direction = np.zeros_like(array)
    if part is not None:
        x = rng.standard_normal(direction[part].shape) * (np.abs(array[part]) + 0.1)
        if part == "inertia":
            x = x + np.swapaxes(x, 1, 2)
        direction[part] = 0.01 * x if part == "bracket" else x
        return direction
    direction[...] = rng.standard_normal(array.shape)
    if field == "limits":
        direction[...] = np.where(np.isfinite(array), 0.1 * direction, 0.0)
    if field in ("stiffness", "damping"):
        inside = np.zeros(array.shape)
        for lo, hi in model.topology.links:
            inside[lo:hi, lo:hi] = 1.0
        direction *= inside
    if field == "screws":
        for block in model.topology.blocks:
            if block["kind"] == ROD or (block["kind"] == SCREW and block["n"] > 1):  # those must go on commuting
                direction[:, block["start"] : block["start"] + block["n"]] = 0.0
    return direction


def _moved(array, direction, part, h):
    moved = array.copy()
    if part is None:
        return array + h * direction
    moved[part] = array[part] + h * direction[part]
    return moved


def _product(bar, direction):
    if bar.dtype.names is None:
        return float((bar * direction).sum())
    return sum(float((bar[k] * direction[k]).sum()) for k in bar.dtype.names if bar.dtype[k].base == np.float64)


def tree_errors(rng, model, state):
    """Relative errors of the gradient along a random change of every array of the tree."""
    sums, errors = state.sums(model), {}
    for field, part in FIELDS:
        array = getattr(model.parameters, field)
        if not array.size:
            continue
        if field == "placement":
            at, direction = turned_poses(rng, array)
        else:
            direction = _direction(rng, model, field, part)

            def at(h, array=array, direction=direction, part=part):
                return _moved(array, direction, part, h)

        found = _product(getattr(sums.arrays, field), direction)

        def value(h, field=field, at=at):
            return state.value(changed_model(model, parameters=model.parameters._replace(**{field: at(h)})))

        errors[f"{field} {part or ''}"] = _error(found, value)
    return errors


def _error(found, value):
    expected, size = difference(value)
    return abs(found - expected) / max(abs(expected), 1e-2 * size, 1e-6)


def load_errors(rng, model, state):
    """The same of the arrays of loads that tell."""
    errors = {}
    for i, load in enumerate(model.loads):
        if not tells(load):
            continue
        for name, array in load.data._asdict().items():
            if array.dtype == np.int64 or name in incidental(type(load.data)) or not array.size:
                continue
            if array.dtype == pose_t:
                at, direction = turned_poses(rng, array)
            else:
                direction = rng.standard_normal(array.shape) * (np.abs(array) + 0.01)
                if name == "flow":
                    direction[:, 0] = 0.0  # a sign
                if name in ("spheres", "surface_sizes"):
                    direction[array == 0.0] = 0.0  # a ball: as a short capsule or an oval it would bend here
                if name == "added_mass":
                    square = direction.reshape(-1, 6, 6)
                    direction = (square + square.transpose(0, 2, 1)).reshape(-1, 6)

                def at(h, array=array, direction=direction):
                    return array + h * direction

            own = state.sums(model).own[i][load.data._fields.index(name)]
            found = _product(own, direction)

            def value(h, i=i, name=name, at=at):
                return state.value(with_data(model, i, name, np.ascontiguousarray(at(h))))

            errors[f"{load.name} {name}"] = _error(found, value)
    return errors


def with_data(model, i, name, array):
    """A model whose i-th load has another array."""
    load = model.loads[i]
    changed = load._replace(data=load.data._replace(**{name: array}))
    loads = tuple(changed if k == i else other for k, other in enumerate(model.loads))
    return changed_model(model, loads=loads, loops=tuple(load for load in loads if load.side == CONSTRAINT))


def input_error(model, state):
    """Relative error of the gradient by inputs."""
    if not model.nu:
        return 0.0
    expected = model.residual_derivatives(state.q, state.v, state.a, state.u, state.lam, state.t).du.T @ state.y
    return np.abs(state.sums(model).inputs - expected).max() / max(1.0, np.abs(expected).max())
