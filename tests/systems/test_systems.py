"""The papers' robots run, and two methods agree on where they go."""

import numpy as np
import pytest

import supple as sp
from supple.systems import SYSTEMS, cantilever, flying_rod

#: Coordinates, inputs and loop rows of every system.
SIZES = {
    "cable-manipulator": (24, 5, 0),
    "serial-arm": (27, 0, 0),
    "fin-ray": (74, 0, 13),
    "parallel-robot": (63, 0, 10),
    "contact-cylinder": (24, 5, 0),
    "underwater-vehicle": (80, 2, 0),
    "cantilever": (3, 0, 0),
    "cantilever-stiff": (3, 0, 0),
    "flying-rod": (15, 0, 0),
    "flying-rod-stiff": (15, 0, 0),
    "drones": (24, 12, 0),
    "continuum-parallel-robot": (12, 2, 2),
    "swimmer": (13, 2, 0),
    "trimmed-helicoid": (24, 9, 0),
    "hybrid-arm": (11, 10, 0),
    "pcc-chain": (6, 0, 0),
    "variable-radius": (12, 6, 0),
    "pgc-arm": (10, 0, 0),
    "pcc-arm": (6, 0, 0),
    "pac-arm": (10, 0, 0),
    "pcs-arm": (12, 0, 0),
    "ur10-pcc": (9, 6, 0),
    "pcc-regulation": (9, 9, 0),
}

#: How long to look, and steps, where 0.3 s and 1 ms do not suit: s.
SPANS = {"cantilever-stiff": (0.1, 1e-4), "continuum-parallel-robot": (1.3, 1e-3)}
SPANS |= {"ur10-pcc": (0.1, 1e-3), "pgc-arm": (0.1, 1e-4)}
SPANS |= {"hybrid-arm": (0.1, 1e-3), "trimmed-helicoid": (0.1, 5e-3)}


@pytest.mark.parametrize("name", SYSTEMS)
def test_two_methods_agree(name):
    system = SYSTEMS[name]()
    model = system.compile()
    assert (model.n, model.nu, model.nc) == SIZES[name]
    span, dt = SPANS.get(name, (0.3, 1e-3))
    times = np.linspace(0.0, span, 16)
    fine = system.paths(system.simulate(model, times, sp.NDF(rtol=1e-4, atol=1e-7)))
    other = system.simulate(model, times, sp.GeneralizedAlpha(dt=dt))
    assert np.abs(system.paths(other) - fine).max() < 1e-3  # the paper's own measure
    assert np.ptp(fine[:, 0], axis=0).max() > 1e-5  # something moves
    assert other.stats["position_error"] < 1e-10


def test_every_system_says_where_it_is_from():
    for name, make in SYSTEMS.items():
        system = make()
        assert system.name == name
        assert all((system.source, system.note, system.watch, system.t_end))


def test_a_function_finds_the_initial_state():
    system = SYSTEMS["cantilever"]()
    model = system.compile()
    q0, v0 = system.start(model)
    assert v0 is None
    np.testing.assert_array_equal(system.simulate(model, [0.0, 0.1]).q[0], q0)


@pytest.mark.parametrize("make", [cantilever, flying_rod])
def test_kinds(make):
    assert make("stiff").name == make("soft").name + "-stiff"
    assert make("soft", modes=4).compile().n > make("soft").compile().n
    with pytest.raises(sp.ModelError, match="kind is 'hard', must be one of: soft, stiff"):
        make("hard")


def test_parameters_are_arguments():
    assert SYSTEMS["cable-manipulator"](length=0.4).compile().pose(np.zeros(24), "arm")[0, 3] == pytest.approx(0.4)


def test_rigid_links_have_the_sizes_of_the_description():
    """Seven cylinders of 0.2 m and the rod of 0.5 m stand on one another."""
    arm = SYSTEMS["serial-arm"]().compile()
    np.testing.assert_allclose(arm.pose(arm.rest, "rod")[:3, 3], (0.0, 0.0, 7 * 0.2 + 0.5), atol=1e-12)
    vehicle = SYSTEMS["underwater-vehicle"]().compile()
    tip = vehicle.pose(vehicle.rest, "front hook 1")[:3, 3]
    np.testing.assert_allclose(tip, (0.105 + 0.015 + 0.05 / 2**0.5, 0.05 / 2**0.5, 0.0), atol=1e-12)


def test_a_robot_that_stands_on_loops_finds_its_equilibrium_at_once():
    """Begun without the multipliers that hold it, Newton's method sees pillars that hang, and wanders."""
    model = SYSTEMS["parallel-robot"]().compile()
    found = model.statics(t=1.0, globalise=False)
    assert found.converged
    assert found.iterations <= 5
