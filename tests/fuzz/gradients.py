"""Derivatives of motions of random robots with all kinds of loads, by a random method.

Of every motion of some steps: jvp against vjp (the dot product), and vjp against differences of replays along the
recorded steps, by start, inputs, internal states and parameters: factors of what links and each of the loads are
made of (`random_designs`).  Every third robot is factorised over its tree, as large ones are.  Where a tendon falls
slack or a contact begins within a difference, the best of several steps counts.
"""

import warnings

import numpy as np
import pytest

import supple as sp
from helpers import random_coordinates, random_robot
from load_kinds import KINDS, add_kinds
from motion_cases import cotangents, directions, loss_of
from motion_replay import Replay
from random_designs import random_design
from supple.errors import SuppleError
from tree_entry import choose_factors

from .report import Refused, Report, run

#: Methods; steps are few.
METHODS = (
    sp.GeneralizedAlpha(dt=1e-3),
    sp.Newmark(dt=1e-3, gamma=0.6, beta=0.31),
    sp.BDF2(dt=1e-3),
    sp.ImplicitEuler(dt=1e-3),
    sp.NDF(rtol=1e-9, atol=1e-12, first_step=1e-4),
    sp.RK45(rtol=1e-7, atol=1e-9),
    sp.Nystrom(rtol=1e-6, atol=1e-8),
    sp.Nystrom(rtol=1e-6, atol=1e-8, order=4),
    sp.Radau(rtol=1e-5, atol=1e-8, first_step=1e-4),
)
#: Steps of differences; what the best of them must come to, and the dot products.
STEPS, DIFFERENCED, SAME = (1e-4, 1e-5, 1e-6, 1e-7), 1e-5, 1e-9
#: What else than plain rods and rigid bodies robots are made of, by seed.
FURTHER: tuple[dict[str, float], ...] = ({}, {"laws": 0.7}, {}, {"soft": 0.5})
#: Most steps that are replayed.
MOST_STEPS = 60


def campaign(count, seed, say=lambda text: None) -> Report:
    """Motions of ``count`` seeds; robots that cannot be started or simulated count as refused."""
    return run("gradients", case, count, seed, say)


def case(seed):
    """One robot, one method."""
    rng = np.random.default_rng([1212, seed])
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        if seed % 3 == 1:  # as large robots do by themselves
            choose_factors(patch, True)
        kinds = rng.choice(sorted(KINDS), size=int(rng.integers(1, 4)), replace=False)
        robot = add_kinds(rng, random_robot(rng, most=12, **FURTHER[seed % 4]), list(kinds))
        design = random_design(robot)
        model = design.model()
        method = METHODS[int(rng.integers(len(METHODS)))]
        q0, v0 = 0.3 * random_coordinates(rng, robot, "moderate"), rng.standard_normal(model.n)
        u = rng.uniform(0.1, 1.0, model.nu) if model.nu else None
        try:
            motion = model.simulate(np.linspace(0.0, 4e-3, 3), q0, v0, u, method, record=True, max_steps=MOST_STEPS)
        except SuppleError as error:
            raise Refused(str(error)) from None
        check(design, motion, q0, v0, u, seed)


def check(design, motion, q0, v0, u, seed):
    """What must hold of the derivatives of any motion."""
    weights, change, rng = cotangents(motion, seed), directions(motion, u, seed), np.random.default_rng(seed)
    p = {name: 0.1 * rng.standard_normal(np.shape(x)) for name, x in design.values.items()}
    gradient, variation = motion.vjp(**weights), motion.jvp(**change, p=p)
    terms = {name: weights[name] * getattr(variation, name) for name in weights}
    forward, size = (sum(f(x).sum() for x in terms.values()) for f in (np.asarray, np.abs))
    backward = sum(float(np.sum(getattr(gradient, name) * change[name])) for name in change)
    backward += sum(float(np.sum(gradient.p[name] * p[name])) for name in p)
    assert np.isfinite(forward)
    assert abs(forward - backward) <= SAME * size, f"dot products {forward:.12g} and {backward:.12g} of size {size:.3g}"
    replay = Replay(motion)
    replay.run(q0, v0)  # factors of all stages
    errors = []
    for h in STEPS:
        def at(x):
            model = design.model(**{name: np.asarray(value) + x * p[name] for name, value in design.values.items()})
            other = Replay(motion, model, replay.kept)
            moved = {name: given + x * change[name] for name, given in (("q0", q0), ("v0", v0))}
            if u is not None:
                moved["u"] = u + x * change["u"]
            if "z0" in change:
                moved["z0"] = other._first_states() + x * change["z0"]
            return loss_of(motion, other.run(**moved), weights, model)

        errors.append(abs((at(h) - at(-h)) / (2.0 * h) - backward) / size)
        if errors[-1] < DIFFERENCED:
            return
    raise AssertionError(f"differences are off by {', '.join(f'{x:.2g}' for x in errors)} of {size:.3g}")
