"""What compilation keeps of a rod: sums over its points, steps, and the segments that kernels see."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import supple as sp
from helpers import relative_error
from supple.core.records import ROD
from supple.robot.bodies.rod_table import tabulate_rod
from supple.sections.properties import is_uniform

MATERIAL = sp.Material(young=1e5, density=1000.0)


def test_a_table_of_a_rod_is_the_sum_over_its_points():
    """K, D, inertia, Magnus steps and nodes, written out point by point."""

    def radius(s):
        return 0.03 - 0.01 * s**2

    def rest(s):
        return (0.1 * s, 0.0, 1.0, 1.0, 0.0, 0.0)

    strain = sp.Strain(torsion=sp.Hat(2), bend_y=sp.Legendre(3), bend_z=sp.CustomBasis(lambda s: [1.0, s**3]))
    matrix = np.diag([2.0, 3.0, 4.0, 50.0, 60.0, 70.0])
    matrix[0, 1] = matrix[1, 0] = 0.5
    section = sp.Section(lambda s: (1.0 + s) * matrix, [1e-3] * 3 + [0.5] * 3, damping=lambda s: radius(s) * matrix)
    rod = sp.Rod(0.5, section, None, strain, points=4, rest_strain=rest, extra_points=(0.3,))
    table = tabulate_rod(rod)
    scale = np.where(strain.components < 3, 1.0 / rod.length, 1.0)
    stiffness, damping = np.zeros((2, strain.size, strain.size))
    for i, (s, weight) in enumerate(zip(table.s, table.weight, strict=True)):
        if weight > 0.0:
            phi = np.zeros((6, strain.size))
            phi[strain.components, range(strain.size)] = scale * strain.values(float(s))
            stiffness += weight * phi.T @ section.stiffness_at(float(s)) @ phi
            damping += weight * phi.T @ section.damping_at(float(s)) @ phi
            assert relative_error(table.inertia[i], weight * section.inertia_at(float(s))) < 1e-15
    assert relative_error(table.stiffness, stiffness) < 1e-14
    assert relative_error(table.damping, damping) < 1e-14
    for i, (a, b) in enumerate(itertools.pairwise(table.s.tolist())):
        h = (b - a) * rod.length
        for m, c in enumerate((0.5 - np.sqrt(3.0) / 6.0, 0.5 + np.sqrt(3.0) / 6.0)):
            assert relative_error(table.phi[m, i], scale * strain.values(a + c * (b - a))) < 1e-15
            assert relative_error(table.rest[i, m], np.array(rest(a + c * (b - a)))) < 1e-15
        assert table.half[i] == pytest.approx(0.5 * h, rel=1e-15)
        assert table.bracket[i] == pytest.approx(np.sqrt(3.0) * h**2 / 12.0, rel=1e-15)


def test_uniform_sections_are_known_only_where_s_cannot_matter():
    class Bulging(sp.Circle):
        def area(self, s):
            return (1.0 + s) * super().area(s)

    matrices = {"stiffness": np.ones(6), "inertia": np.ones(6)}
    for section, same in (
        (sp.Circle(0.1), True),
        (sp.Rectangle(0.1, (0.1, 0.2)), False),
        (sp.Ellipse(0.1, lambda s: 0.2), False),
        (sp.Circle(0.1, torsion_constant=(1e-4, 2e-4)), False),
        (Bulging(0.1), False),
        (sp.Section(**matrices), True),
        (sp.Section(**matrices, radius=(0.1, 0.2)), False),
        (sp.Section(**matrices, damping=lambda s: np.ones(6)), False),
        (sp.Section(**matrices, shape=sp.Ellipse(0.1, (0.1, 0.2))), False),
    ):
        assert is_uniform(section) == same
    rods = [sp.Rod(0.5, kind(0.1), MATERIAL, sp.Legendre(bend_y=1), 3) for kind in (sp.Circle, Bulging)]
    masses = [tabulate_rod(rod).inertia[:, 3, 3].sum() for rod in rods]
    assert masses[1] == pytest.approx(1.5 * masses[0], rel=1e-14)


@pytest.fixture(scope="module")
def table():
    """A rod of three nodes: five points, four steps."""
    return tabulate_rod(sp.Rod(0.5, sp.Circle((0.03, 0.02)), MATERIAL, sp.Legendre(bend_y=1, stretch=0), points=3))


def test_stations_are_found(table):
    s = table.s.tolist()
    assert [table.point_at(x) for x in s] == [0, 1, 2, 3, 4]
    assert table.point_at(0.4) is None
    assert [table.point_before(x) for x in (0.0, 0.05, 0.4, 1.0)] == [0, 0, 1, 4]
    assert [table.point_under(x) for x in (s[1], 0.4, 1.0)] == [0, 1, 3]
    assert table.points == tuple(enumerate(s))
    assert table.locate(s[2]) == (2, None)
    assert table.locate(0.4) is None


def test_a_chain_alone_is_the_rods_own_steps(table):
    chain = table.chain()
    assert chain.kind == ROD
    assert chain.own == (0, 1, 2, 3)
    assert_array_equal(chain.begins, [0, 1, 2, 3])
    assert chain.between == {}
    assert (chain.dormant, chain.idle_tip) == (0, True)
    assert_array_equal(chain.segments["half"], table.half)
    assert_array_equal(chain.segments["inertia"], table.inertia[1:])
    assert_array_equal(chain.phi, table.phi)


def test_stations_between_points_get_segments_of_their_own(table):
    """Nodes, then stations, then the tip, then those that sleep."""
    node = float(table.s[2])
    chain = table.chain({0.4, node, 0.9}, {0.9, 0.05, 0.95})
    assert chain.own == (0, 1, 2, 5)
    assert chain.between == {0.4: 3, 0.9: 4, 0.05: 6, 0.95: 7}
    assert chain.dormant == 2
    assert_array_equal(chain.begins, [0, 1, 2, 1, 3, 3, 0, 3])
    steps = table.steps(table.s[[1]], np.array([0.4]))
    assert chain.segments["half"][3] == steps.half[0]
    assert_array_equal(chain.phi[:, 3], steps.phi[0])
    assert not chain.segments["inertia"][[3, 4, 6, 7]].any()
    assert_array_equal(chain.segments["inertia"][[0, 1, 2, 5]], table.inertia[1:])


def test_a_loaded_tip_is_not_idle(table):
    assert table.chain({0.4}).idle_tip
    assert not table.chain({1.0}).idle_tip
