"""Where the systems go, and their energies, to the end of the papers' simulations: two methods against converged runs.

Reference: `tests/data/systems.json`, by `make_reference.py`.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from supple.bench.mismatch import residual_mismatch
from supple.systems import SYSTEMS

REFERENCE = json.loads((Path(__file__).parent.parent / "data" / "systems.json").read_text())

#: A method of another family than the system's own (NDF at the papers' tolerances if it says nothing).
OTHERS = {
    "cable-manipulator": sp.Newmark(dt=2e-3),
    "serial-arm": sp.Newmark(dt=1e-3),
    "fin-ray": sp.BDF2(dt=2e-3),
    "parallel-robot": sp.Newmark(dt=1e-2),
    "contact-cylinder": sp.GeneralizedAlpha(dt=2e-3),
    "underwater-vehicle": sp.GeneralizedAlpha(dt=1e-2),
    "cantilever": sp.Newmark(dt=2e-3),
    "cantilever-stiff": sp.Newmark(dt=2e-5),
    "flying-rod": sp.Newmark(dt=5e-3),
    "flying-rod-stiff": sp.Newmark(dt=1e-3),
    "drones": sp.GeneralizedAlpha(dt=1e-2),
    "continuum-parallel-robot": sp.GeneralizedAlpha(dt=1e-3),
    "swimmer": sp.GeneralizedAlpha(dt=1e-3),
    "trimmed-helicoid": sp.GeneralizedAlpha(dt=4e-2),
    "hybrid-arm": sp.GeneralizedAlpha(dt=1e-2),
    "pcc-chain": sp.GeneralizedAlpha(dt=2e-3),
    "variable-radius": sp.GeneralizedAlpha(dt=5e-3),
    "pgc-arm": sp.Radau(rtol=1e-5),  # falls over: fixed steps of second order are off by centimetres
    "pcc-arm": sp.Newmark(dt=5e-3),
    "pac-arm": sp.Newmark(dt=5e-3),
    "pcs-arm": sp.GeneralizedAlpha(dt=2e-3),
    "ur10-pcc": sp.GeneralizedAlpha(dt=1e-2),
    "pcc-regulation": sp.GeneralizedAlpha(dt=1e-2),
}

#: Largest distance from the converged path, m: the measure of GVS-AD, or a thousandth of the length.
NEAR = {"cantilever": 1e-2, "cantilever-stiff": 4e-4, "flying-rod": 1e-2, "drones": 2.2e-3}
#: Largest error of an energy, as part of the largest energy.
ENERGY = 2e-2


@cache
def compiled(name):
    system = SYSTEMS[name]()
    return system, system.compile()


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_is_compared(name):
    assert name in REFERENCE
    assert name in OTHERS


@pytest.mark.slow
@pytest.mark.parametrize("own", [True, False], ids=["own", "other"])
@pytest.mark.parametrize("name", OTHERS)
def test_path_and_energies(name, own):
    known, (system, model) = REFERENCE[name], compiled(name)
    assert known["t"][-1] == system.t_end
    motion = system.simulate(model, known["t"], None if own else OTHERS[name])
    gaps = np.linalg.norm(system.paths(motion) - np.array(known["paths"]), axis=2)
    assert gaps.max() < NEAR.get(name, 1e-3)
    energies = np.array(known["energy"])
    assert np.abs(motion.energy()[:, :3] - energies).max() < ENERGY * np.abs(energies).max()
    assert np.ptp(np.array(known["paths"]), axis=0).max() > 1e-2  # something moves


@pytest.mark.parametrize("name", OTHERS)
def test_jacobian_of_the_residual_along_the_motion(name):
    system, model = compiled(name)
    motion = system.simulate(model, np.linspace(0.0, system.t_end, 5))
    # moving states: at rest the drag |v| v has no second derivative, and differences see that
    assert max(residual_mismatch(model, motion, k) for k in range(1, 5)) < 1e-6
