"""Directions of parameters: what is moved together, and what is believed."""

import numpy as np
import pytest

from supple.gradients.probe_plans import (
    Entries,
    Probe,
    common_direction,
    learned_pattern,
    probe_plan,
    recalled,
    rounding,
    stands,
)

COUNT = 12


def entries_of(J):
    rows, columns = np.nonzero(J)
    return Entries(rows, columns, J[rows, columns], len(J))


def probes_of(J, directions):
    return [Probe(J @ d, d) for d in directions]


def planned(J, blocks, apart=None):
    noise, steps = np.zeros(len(J)), np.ones(COUNT)
    plan = probe_plan(entries_of(J), noise, steps, blocks, np.zeros(COUNT, bool) if apart is None else apart)
    return plan, noise, steps


def test_numbers_that_follow_one_parameter_each_need_one_direction():
    J = np.diag(np.arange(1.0, COUNT + 1.0))
    plan, noise, steps = planned(J, [slice(0, COUNT)])
    assert len(plan.directions) == 1
    pattern = learned_pattern(entries_of(J), noise, steps, plan, probes_of(J, plan.checks))
    new = J**2  # not along the same combination, but there is one parameter only
    found = recalled(pattern, probes_of(new, plan.directions))
    assert np.allclose(found.values, np.diag(new))
    assert stands(found, probes_of(new, plan.checks)[0], noise, pattern.doubt)


def test_neighbours_are_not_moved_together():
    J = np.eye(COUNT) + np.eye(COUNT, k=1)
    plan, noise, steps = planned(J, [slice(0, COUNT)])
    assert len(plan.directions) == 2
    pattern = learned_pattern(entries_of(J), noise, steps, plan, probes_of(J, plan.checks))
    new = J * np.random.default_rng(0).uniform(0.5, 2.0, J.shape)
    found = recalled(pattern, probes_of(new, plan.directions))
    dense = np.zeros_like(J)
    dense[found.rows, found.columns] = found.values
    assert np.allclose(dense, new)


def test_an_array_that_all_numbers_follow_needs_one_direction_while_combinations_stay():
    rng = np.random.default_rng(1)
    J = rng.standard_normal((30, COUNT))
    J[:, -1] = rng.uniform(1.0, 2.0, 30)
    plan, noise, steps = planned(J, [slice(0, COUNT - 1), slice(COUNT - 1, COUNT)])
    assert len(plan.directions) == 2
    pattern = learned_pattern(entries_of(J), noise, steps, plan, probes_of(J, plan.checks))
    new = J * rng.uniform(0.5, 2.0, (30, 1))
    found = recalled(pattern, probes_of(new, plan.directions))
    assert stands(found, probes_of(new, plan.checks)[0], noise, pattern.doubt)
    dense = np.zeros_like(J)
    dense[found.rows, found.columns] = found.values
    assert np.allclose(dense, new)
    turned = new.copy()
    turned[17, 3] *= 1.001  # one combination of one number
    found = recalled(pattern, probes_of(turned, plan.directions))
    assert not stands(found, probes_of(turned, plan.checks)[0], noise, pattern.doubt)


def test_a_number_that_followed_nothing_before_is_noticed():
    J = np.diag(np.arange(1.0, COUNT + 1.0))
    J = np.vstack([J, np.zeros(COUNT)])
    plan, noise, steps = planned(J, [slice(0, COUNT)])
    pattern = learned_pattern(entries_of(J), noise, steps, plan, probes_of(J, plan.checks))
    new = J.copy()
    new[-1, 4] = 1e-3
    found = recalled(pattern, probes_of(new, plan.directions))
    assert not stands(found, probes_of(new, plan.checks)[0], noise, pattern.doubt)


def test_few_parameters_and_those_apart_are_not_planned():
    assert planned(np.eye(COUNT), [slice(0, COUNT)], np.ones(COUNT, bool))[0] is None
    few = probe_plan(entries_of(np.eye(3)), np.zeros(3), np.ones(3), [slice(0, 3)], np.zeros(3, bool))
    assert few is None


def test_further_numbers_must_be_told_apart_by_the_same_directions():
    J = np.diag(np.arange(1.0, COUNT + 1.0))
    plan, noise, steps = planned(J, [slice(0, COUNT)])
    both = np.eye(COUNT) + np.eye(COUNT, k=1)
    assert learned_pattern(entries_of(both), noise, steps, plan, probes_of(both, plan.checks)) is None


def test_a_direction_is_clear_to_all_or_there_is_none():
    rng = np.random.default_rng(2)
    slopes = rng.standard_normal((COUNT, 5))
    found = common_direction(slopes)
    along = np.abs(found @ slopes) / np.linalg.norm(slopes, axis=0)
    assert along.min() > 0.5 * along.max()
    assert common_direction(rng.standard_normal((2, 400))) is None


def test_rounding_of_zeros_is_that_of_their_array():
    noise = rounding([np.array([1.0, 1e-17, 1e-3, 0.0]), np.array([np.inf, 2.0])])
    assert noise[0] == noise[1] == noise[3]
    assert noise[2] == pytest.approx(1e-3 * noise[0])
    assert noise[5] == pytest.approx(2.0 * noise[0])
