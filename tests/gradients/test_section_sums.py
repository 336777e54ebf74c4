"""K and D of rods by parameters, from what sections do at nodes."""

import numpy as np

import supple as sp
from supple.gradients.array_slopes import differences, flattened, numbers_of
from supple.gradients.probe_plans import Entries
from supple.gradients.section_sums import rod_sums, sum_entries, with_sections

VALUES = {"young": 2e5, "length": 0.4, "radii": np.array([0.03, 0.02]), "spring": 3.0, "mass": 0.2}


def two_rods(young, length, radii, spring, mass):
    """A rod on a spring, a body, and a rod with other functions, whose viscosity follows Young's modulus."""
    robot = sp.Robot("two")
    rubber = sp.Material(young=young, poisson=0.4, density=1000.0, viscosity=1e-3 * young)
    strain = sp.Legendre(torsion=1, bend_y=3, stretch=2)
    robot.add_link("first", sp.Rod(length, sp.Circle(tuple(radii)), rubber, strain), sp.Revolute("y", stiffness=spring))
    robot.add_link("middle", sp.Rigid(mass, np.full(3, 1e-4)), sp.Revolute("z"), parent="first")
    section = sp.Circle(lambda s: float(radii[0] * (1.0 - 0.3 * s) + radii[1] * s**2))
    rod = sp.Rod(0.3, section, rubber, sp.Chebyshev(bend_y=2, bend_z=3, shear_z=1), points=6)
    robot.add_link("last", rod, parent="middle")
    return robot


def dense(entries, count):
    found = np.zeros((entries.size, count))
    found[entries.rows, entries.columns] = entries.values
    return found


def test_sums_follow_parameters_as_their_nodes_do():
    design = sp.Design(two_rods, **VALUES)
    point = design.model().design
    robot, known = point.compiled, differences(point.ends, with_sections)
    sums = rod_sums(robot)
    kept = ~np.isin(known.rows, sums.rows)
    found = sum_entries(robot, Entries(known.rows[kept], known.columns[kept], known.values[kept], known.size))
    expected = dense(known, design.size)
    mine = dense(found, design.size)
    steps = np.abs(design.pack(design.values))
    # entries of K and D may be small by cancelling: those of the diagonal tell their size
    sizes = np.abs(expected * steps).max(axis=1)
    beside = np.sqrt(sizes[sums.diagonal[0]] * sizes[sums.diagonal[1]])
    off = np.abs((mine - expected) * steps).max(axis=1)
    assert sizes[sums.rows].max() > 0.0
    assert (off[sums.rows] <= 1e-8 * np.maximum(sizes[sums.rows], beside) + 1e-300).all()
    others = np.setdiff1d(np.arange(known.size), sums.rows)
    assert not mine[others].any()


def test_sums_are_the_rods_own_entries_of_K_and_D():
    robot = two_rods(**VALUES).compile().compiled
    sums, numbers = rod_sums(robot), flattened(numbers_of(robot))
    rods = [layout for layout in robot.layouts if layout.rod is not None]
    K, D = robot.parameters.stiffness, robot.parameters.damping
    expected = [matrix[np.ix_(own.body_coordinates, own.body_coordinates)] for own in rods for matrix in (K, D)]
    assert np.array_equal(numbers[sums.rows], flattened(expected))
    a, b = (numbers[place] for place in sums.diagonal)
    assert (np.abs(numbers[sums.rows]) <= np.sqrt(a * b) * (1.0 + 1e-12)).all()
    assert np.array_equal(flattened(with_sections(robot))[: len(numbers)], numbers)
