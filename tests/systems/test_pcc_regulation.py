"""PD+ brings the arm to every shape it is told."""

import numpy as np

from supple.systems import pcc_regulation
from supple.systems.pcc_regulation import SHAPES


def test_shapes_are_reached():
    system = pcc_regulation(hold=1.5)
    motion = system.simulate(t=[0.0, 1.5, 3.0, 4.5], progress=False)
    unit = np.tile([1.0, 1.0, 0.2], 3)
    np.testing.assert_allclose(motion.q[1:] * unit, SHAPES, atol=0.03)
    assert np.abs(np.diff(motion.q, axis=0)).max() > 0.5


def test_forces_of_chambers_do_not_depend_on_the_shape():
    model = pcc_regulation().compile()
    one, other = 0.2 * np.random.default_rng(0).standard_normal((2, 9))
    B = model.actuation(one)
    np.testing.assert_allclose(model.actuation(other), B, atol=1e-12 * np.abs(B).max())
    assert np.linalg.matrix_rank(B) == 9
