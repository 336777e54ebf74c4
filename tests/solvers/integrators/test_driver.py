"""The driver of all schemes: kernels are kept, coefficients are asked for, looking back meets what is recorded."""

import numpy as np
import pytest

import supple as sp
from motions import FAMILIES, pendulum
from supple.errors import ModelError
from supple.solvers.integrators import driver
from supple.solvers.integrators.run import END_TIME, EVERY, NEXT, PENDING, STEPS, TIME, TIME_BEFORE
from supple.solvers.motion.simulation import Simulation


def begun(method, t=1.0, **options):
    run = Simulation(pendulum(), t, [0.3], None, None, method, progress=False, **options)
    run.begin()
    return run


@pytest.mark.parametrize("name", FAMILIES)
def test_compiled_loops_can_be_kept(name):
    """Parts that were passed as arguments would tie them to this process."""
    integrator = begun(FAMILIES[name]).integrator
    integrator.advance(3)
    integrator.look_back(float(integrator.reals[TIME]))
    libraries = [integrator.method.kernels.parts.compiled._library]
    for kernel in (driver.start, driver.advance, driver.look_back):
        assert len(kernel.overloads) == 1  # for all families
        libraries += [overload.library for overload in kernel.overloads.values()]
    assert not any(library.has_dynamic_globals for library in libraries)


@pytest.mark.parametrize("name", FAMILIES)
def test_looking_back_meets_the_ends_of_a_step(name):
    integrator = begun(FAMILIES[name]).integrator
    before = integrator.now()
    for _ in range(5):
        integrator.advance(1)
        assert integrator.ints[PENDING]
        after = integrator.now()
        times = float(integrator.reals[TIME_BEFORE]), float(integrator.reals[TIME])
        assert np.array_equal(integrator.look_back(times[1])[:2], after[:2])
        assert integrator.look_back(times[0])[:2] == pytest.approx(before[:2], rel=1e-9)
        before = after


@pytest.mark.parametrize("name", FAMILIES)
def test_wanted_times_and_every_step_are_one_motion(name):
    """What is written at a time between steps is what looking back would have found."""
    every, some = begun(FAMILIES[name]), begun(FAMILIES[name], [0.0, 0.11, 0.5, 1.0])
    assert every.integrator.ints[EVERY]
    assert some.integrator.ints[NEXT] == 1
    for run in (every, some):
        while run.integrator.advance(100) != 0:
            run.record.keep(*run.integrator.take())
        run.record.keep(*run.integrator.take())
    assert some.record.times().tolist() == [0.0, 0.11, 0.5, 1.0]
    assert len(every.record.times()) == every.integrator.ints[STEPS] + 1
    assert every.record.rows()[-1] == pytest.approx(some.record.rows()[-1], rel=1e-4)


def test_coefficients_are_asked_for_where_steps_change(monkeypatch):
    asked = []
    monkeypatch.setattr(sp.BDF2, "renew", lambda self, own, known=sp.BDF2.renew: (asked.append(1), known(self, own)))
    pendulum().simulate(1.0, [0.3], method=sp.BDF2(dt=0.1), progress=False)
    assert asked == []  # first SDIRK2, then equal steps
    pendulum().simulate(1.0, [0.3], method=sp.BDF2(dt=0.1), breaks=(0.33,), progress=False)
    assert asked == []  # a break is a new start
    run = begun(sp.BDF2(dt=0.1))
    for t in (0.1, 0.2, 0.25, 0.3):
        run.integrator.reals[END_TIME] = t
        run.integrator.advance(1)
        assert run.integrator.reals[TIME] == t
    assert len(asked) == 2


def test_a_scheme_without_changing_coefficients_is_not_asked():
    with pytest.raises(ModelError, match="NDF has no coefficients that change"):
        sp.NDF().renew(None)
