"""Results print in one line: shapes of what is large, numbers of what is small."""

import numpy as np

from supple.model.results import Energy, InverseDynamicsDerivatives, LineState, short_repr


def test_small_arrays_are_told_large_ones_are_measured():
    line = LineState(0.5, 0.0, 12.0, np.arange(3.0))
    assert repr(line) == "<LineState: length 0.5, rate 0, tension 12, gradient [0, 1, 2]>"
    large = InverseDynamicsDerivatives(np.zeros(2), *np.zeros((3, 9, 9)))
    assert repr(large) == "<InverseDynamicsDerivatives: force [0, 0], dq (9, 9), dv (9, 9), mass (9, 9)>"
    assert short_repr(line._replace(gradient=(1, 2, 3))).endswith("gradient 3 entries>")


def test_energies_add_up():
    assert Energy(1.0, 2.0, 4.0).total == 7.0
    assert Energy(1.0, 2.0, 4.0, 8.0).total == 15.0
