"""Every kind of load in the gradient: by the arrays of the tree, by its own numbers and inputs; and many at once."""

import warnings

import numpy as np
import pytest

from gradient_cases import State, input_error, load_errors, tree_errors
from helpers import random_robot
from load_kinds import KINDS, add_kinds, host
from supple.errors import ModelWarning


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_gradients_of_every_kind_of_load_are_those_of_differences(kind, seed):
    rng = np.random.default_rng([5, seed])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        model = add_kinds(rng, host(), [kind]).compile()
    for load in model.loads:
        if kind == "fluid":
            load.data.points[:, 1:] = 1  # what is zero acts as well, for differences' sake
    state = State(rng, model)
    errors = tree_errors(rng, model, state) | load_errors(rng, model, state)
    assert max(errors.values()) < 1e-6, errors
    assert input_error(model, state) < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_all_kinds_at_once_on_random_robots(seed):
    rng = np.random.default_rng([8, seed])
    kinds = rng.choice(list(KINDS), 6, replace=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        model = add_kinds(rng, random_robot(rng), kinds).compile()
    state = State(rng, model)
    errors = tree_errors(rng, model, state)
    assert max(errors.values()) < 3e-6, errors
    assert input_error(model, state) < 1e-9
