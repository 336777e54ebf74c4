"""The campaign of random robots, bounded, and that it notices what it is there for."""

import numpy as np
import pytest

import supple as sp
from load_kinds import KINDS, add_kinds, host

from . import CAMPAIGNS, robots
from .report import Refused, run

pytestmark = pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")


def test_random_robots():
    report = robots.campaign(12, 0)
    assert report.tried == 12
    assert report.ok, str(report)


@pytest.mark.slow
def test_more_random_robots():
    report = robots.campaign(40, 5000)
    assert report.ok, str(report)


@pytest.mark.parametrize("kind", KINDS)
def test_no_result_depends_on_an_earlier_call(kind):
    """With each kind of load alone: NaN, infinite and huge states leave nothing behind."""
    rng = np.random.default_rng(3)
    robot = add_kinds(rng, host(soft=kind == "cavity"), [kind], tries=20)
    assert len(robot.items) == 1
    model = robot.compile()
    robots.check_poison(model, robots.random_state(rng, robot, model, "moderate"), rng)


@pytest.mark.slow
def test_no_result_depends_on_an_earlier_call_with_all_kinds_at_once():
    rng = np.random.default_rng(4)
    robot = add_kinds(rng, host(soft=True), list(KINDS), tries=20)
    assert len(robot.items) >= len(KINDS) - 1
    model = robot.compile()
    state = robots.random_state(rng, robot, model, "moderate")
    robots.check_derivatives(model, state, rng)
    robots.check_poison(model, state, rng)


def test_a_stale_result_is_noticed(monkeypatch):
    """A model that remembers: its residual is off after a refused call."""
    robot = host()
    model = robot.compile()
    rng = np.random.default_rng(0)
    state, true, memory = robots.random_state(rng, robot, model, "moderate"), type(model).residual, {}

    def residual(self, q, *rest, **named):
        if self is model and not np.isfinite(q).all():
            memory["poisoned"] = True
        found = true(self, q, *rest, **named)
        return found + 1e-15 if self is model and memory else found

    monkeypatch.setattr(type(model), "residual", residual)
    with pytest.raises(AssertionError, match="residual differs after calls at"):
        robots.check_poison(model, state, rng)


def test_a_wrong_derivative_is_noticed(monkeypatch):
    robot = host()
    model = robot.compile()
    rng = np.random.default_rng(0)
    state, true = robots.random_state(rng, robot, model, "moderate"), type(model).residual_derivatives

    def wrong(self, *arguments):
        found = true(self, *arguments)
        return found._replace(dv=found.dv * (1.0 + 1e-4))

    monkeypatch.setattr(type(model), "residual_derivatives", wrong)
    with pytest.raises(AssertionError, match="dR/dv is off"):
        robots.check_derivatives(model, state, rng)


def test_reports_count_and_name_seeds():
    def case(seed):
        if seed == 7:
            raise ValueError("seven")
        if seed == 8:
            raise Refused

    said = []
    report = run("trial", case, 5, 5, said.append)
    assert (report.tried, report.refused, report.failed, report.ok) == (5, 1, 1, False)
    assert report.failures[0][0] == 7
    assert "seed 7: ValueError: seven" in str(report)
    assert len(said) == 1


def test_campaigns_are_registered():
    assert "robots" in CAMPAIGNS
    assert issubclass(sp.StateError, sp.SuppleError)
