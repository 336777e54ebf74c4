"""The random robots that property tests rely on do cover the ground."""

import numpy as np

import supple as sp
from helpers import FAMILIES, JOINTS, ROBOTS, STATES, case, central_difference, difference_jacobian, relative_error


def cases():
    return [case(seed) for seed in range(ROBOTS)]


def links():
    return [link for robot, *_ in cases() for link in robot.links]


def test_there_are_at_least_two_hundred():
    assert len(cases()) >= 200


def test_all_joints_with_and_without_springs():
    for kind in JOINTS:
        found = [link.joint for link in links() if type(link.joint).__name__ == kind]
        assert len(found) >= 20, kind
        if kind != "Fixed":
            assert any(joint.stiffness_matrix.any() for joint in found)
            assert any(joint.damping_matrix.any() for joint in found)
            assert any(np.isfinite(joint.limit_bounds).any() for joint in found)
            assert not all(joint.keeps_chart for joint in found)


def test_all_bases_alone_and_mixed():
    rods = [link.body for link in links() if isinstance(link.body, sp.Rod)]
    for family in FAMILIES:
        assert sum(type(rod.strain).__name__ == family for rod in rods) >= 5, family
    mixed = [rod.strain for rod in rods if isinstance(rod.strain, sp.Strain)]
    assert len(mixed) >= 30
    components = {component for rod in rods for component in rod.strain.components.tolist()}
    assert components == set(range(6))


def test_all_kinds_of_rods():
    rods = [link.body for link in links() if isinstance(link.body, sp.Rod)]
    assert {rod.magnus for rod in rods} == {2, 4}
    assert any(callable(rod.rest_strain) for rod in rods)
    assert any(not callable(rod.rest_strain) and rod.rest_strain[1] != 0.0 for rod in rods)
    assert any(rod.extra_points for rod in rods)
    assert {type(rod.section).__name__ for rod in rods} == {"Circle", "Annulus", "Rectangle", "Ellipse", "Section"}
    assert any(isinstance(rod.section, sp.Circle) and isinstance(rod.section.radius, tuple) for rod in rods)


def test_all_kinds_of_trees():
    """Children of rods, of bodies, of the world; branches; children added before their parents."""
    parents, several, early = set(), 0, 0
    for robot, *_ in cases():
        bodies = {link.name: type(link.body).__name__ for link in robot.links} | {"world": "world"}
        parents |= {(bodies[link.parent], bodies[link.name]) for link in robot.links}
        names = [link.name for link in robot.links]
        counts = [sum(link.parent == name for link in robot.links) for name in names]
        several += max(counts) > 1
        early += any(link.parent in names[i:] for i, link in enumerate(robot.links))
    assert parents == {(parent, child) for parent in ("Rod", "Rigid", "world") for child in ("Rod", "Rigid")}
    assert several >= 10
    assert early >= 10


def test_states_reach_from_zero_to_beyond_a_half_turn():
    sizes = {kind: [np.abs(case(seed).q).max() for seed in range(i, ROBOTS, 4)] for i, kind in enumerate(STATES)}
    assert max(sizes["zero"]) == 0.0
    assert 0.0 < max(sizes["tiny"]) < 1e-8
    assert max(sizes["huge"]) > 2.0 * np.pi
    turns = []
    for robot, model, q, *_ in cases():
        for link, layout in zip(robot.links, model.layouts, strict=True):
            if isinstance(link.joint, (sp.Spherical, sp.Free)):
                turns.append(np.linalg.norm(q[layout.coordinates.start :][:3]))
    assert max(turns) < 1.8 * np.pi
    assert sum(turn > np.pi for turn in turns) >= 10


def test_central_differences_are_of_sixth_order():
    errors = [abs(central_difference(np.exp, step) - 1.0) for step in (0.4, 0.2)]
    assert 5.8 < np.log2(errors[0] / errors[1]) < 6.2
    A = np.arange(6.0).reshape(2, 3)
    assert relative_error(difference_jacobian(lambda x: A @ np.sin(x), np.zeros(3)), A) < 1e-12


def test_relative_error_measures():
    assert relative_error([1.0, 2.0], [1.0, 4.0]) == 0.5
    assert relative_error([1e-20], [0.0], floor=1.0) == 1e-20
    assert relative_error([1.0], [0.0]) == 1.0
