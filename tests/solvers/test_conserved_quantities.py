"""What long simulations must keep: energy of conservative schemes, momentum of free robots."""

import numpy as np
import pytest
from scipy.linalg import eigh

import supple as sp


def free_rod():
    """A soft rod adrift."""
    material = sp.Material(young=1e5, poisson=0.4, density=1000.0)
    strain = sp.Legendre(torsion=0, bend_y=1, bend_z=1)
    robot = sp.Robot("adrift", gravity=(0, 0, 0))
    robot.add_link("rod", sp.Rod(0.5, sp.Circle(0.02), material, strain, points=6), joint=sp.Free())
    return robot.compile()


@pytest.mark.slow
def test_a_free_soft_rod_keeps_its_momentum():
    """Bent and let go while it tumbles, 10 s."""
    model = free_rod()
    q0, v0 = np.zeros((2, model.n))
    q0[model.n - 4], q0[model.n - 2] = 0.3, -0.2
    v0[:6] = 0.2, 1.0, -0.5, 0.3, -0.2, 0.1
    run = model.simulate(np.linspace(0, 10.0, 101), q0, v0, method=sp.NDF(rtol=1e-10, atol=1e-12))
    momentum = run.momentum()
    assert np.abs(momentum - momentum[0]).max() < 1e-8
    assert run.stats["recentred"] > 3


@pytest.mark.slow
def test_newmark_keeps_the_energy_of_an_undamped_rod_for_a_long_time():
    """1e5 steps of T1 / 100 at an amplitude of 0.1 L: the error of the last 1e4 is at most twice that of the first."""
    section = sp.Section.from_stiffness(EA=1.0, EI_y=1.0, EI_z=1.0, GJ=1.0, mass_per_length=1.0)
    robot = sp.Robot("cantilever", gravity=(0, 0, 0))
    robot.add_link("rod", sp.Rod(1.0, section, strain=sp.Legendre(bend_z=2), points=8))
    model = robot.compile()
    squares, shapes = eigh(model.stiffness, model.mass_matrix(np.zeros(model.n)))
    first = shapes[:, 0]
    for _ in range(20):  # the tip moves by 0.1 L
        first = first * 0.1 / abs(model.pose(first, "rod")[1, 3])
    count = 100_000
    h = 2 * np.pi / np.sqrt(squares[0]) / 100
    run = model.simulate(count * h, first, method=sp.Newmark(dt=h))
    assert run.stats["steps"] == count
    energy = run.energy()[:, 3]
    error = np.abs(energy - energy[0])
    assert error[-10_000:].max() <= 2.0 * error[:10_001].max()
    assert error.max() < 1e-2 * energy[0]
