"""Gradients by inputs, in the forms in which they are given."""

import numpy as np
import pytest

from motion_cases import along, small


@pytest.mark.parametrize("hold", [False, True])
def test_constant_and_held_inputs(hold):
    model, q0, v0, run = small(hold=hold)
    rng = np.random.default_rng(8)
    w = rng.normal(size=(5, model.n))
    for u in (np.array([1.0, 0.08]), rng.uniform(0.07, 0.09, (5, 2))):
        motion, du = run(q0, v0, u), rng.normal(size=u.shape)
        gradient = motion.vjp(q=w)
        assert gradient.u.shape == u.shape
        expected = along(lambda x, u=u, du=du: (w * run(q0, v0, u + x * du).q).sum(), 1e-4)
        assert (gradient.u * du).sum() == pytest.approx(expected, rel=1e-7)


def test_no_inputs_are_inputs_of_zero():
    model, q0, v0, run = small()
    assert run(q0, v0, None).vjp(q=np.ones((5, model.n))).u.shape == (2,)
