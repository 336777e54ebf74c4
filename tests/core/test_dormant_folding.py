"""Dormant stations: the same numbers as if the sweeps visited them, and asleep again after every call."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import supple as sp
from contact_cases import LAW, force, two_rods
from supple.core.dormant import ASLEEP
from supple.core.dormant_folding import dormant_kernels
from supple.loads.contact.contact import Contact
from supple.loads.contact.shapes import Ball, Plane, Spheres


def visits(link, n):
    """Wrenches of zero where spheres sit: such stations the sweeps always visit."""
    return [sp.PointWrench(link, np.zeros(6), s=float(s), name=f"{link}{s}") for s in np.linspace(0.0, 1.0, n)]


def numbers(model, q, v, a, x):
    """Residual, tangents and products of tangents."""
    derivatives = model.residual_derivatives(q, v, a)
    return [
        model.inverse_dynamics(q, v, a),
        *model.residual_tangent(q, v, a, cv=1.3, ca=0.7),
        derivatives.dq,
        derivatives.dv,
        model.tangent_product(q, v, a, x, cv=1.3, ca=0.7),
        model.tangent_product(q, v, a, x, cv=1.3, ca=0.7, transposed=True),
    ]


@pytest.mark.parametrize(
    ("contacts", "where"),
    [
        ([(Spheres("one", 23), Plane((0.1, 0.2, 1.0), 0.02))], [("one", 23)]),
        ([(Spheres("one", 23), Spheres("two", 17))], [("one", 23), ("two", 17)]),
        ([(Spheres("one", 40), Spheres("one", 40))], [("one", 40)]),
        ([(Spheres("one", 9), Ball(0.2, (0.3, 0.0, 0.0), "two", s=0.37)), (Spheres("one", 9), Plane())], [("one", 9)]),
    ],
)
def test_dormant_stations_give_what_visited_ones_give(contacts, where):
    """The same numbers whether a sphere is visited always or only when it may touch, far, near and touching."""
    loads = [Contact(f"c{i}", a, b, **LAW) for i, (a, b) in enumerate(contacts)]
    dormant = two_rods(*loads)
    visited = two_rods(*loads, *(load for link, n in where for load in visits(link, n)))
    assert dormant.topology.blocks["active"].sum() < visited.topology.blocks["active"].sum()
    rng, pushed = np.random.default_rng(6), 0
    free = two_rods()
    for spread in (0.1, 0.5, 1.0, 3.0) * 5:  # far beyond what is physical: no bound may fail
        q, v, a, x = spread * rng.standard_normal((4, dormant.n))
        pushed += bool(np.abs(force(dormant, free, q, v)).max() > 0.0)
        for found, expected in zip(numbers(dormant, q, v, a, x), numbers(visited, q, v, a, x), strict=True):
            assert np.abs(found - expected).max() <= 1e-11 * np.abs(expected).max()
    assert pushed >= 3, "the states say nothing"


def test_points_beside_dormant_stations_are_where_they_were():
    free, model = two_rods(), two_rods(Contact("c", Spheres("one", 30), Plane(), **LAW))
    q = 0.3 * np.random.default_rng(0).standard_normal(model.n)
    assert np.array_equal(free.points(q), model.points(q))
    for s in (0.0, 0.31, 1.0):
        assert np.array_equal(free.pose(q, "one", s), model.pose(q, "one", s))


def test_the_order_in_which_stations_are_given_does_not_matter():
    """The tip comes before other stations of its point among the segments."""
    places = [1.0, 0.95, 0.2, 0.7, 0.97, 0.21]
    models = [
        two_rods(Contact("c", Spheres("one", at=at), Plane((0.1, 0.2, 1.0), 0.1), **LAW))
        for at in (places, sorted(places))
    ]
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, v, a, x = 0.3 * rng.standard_normal((4, models[0].n))
        for one, other in zip(*(numbers(model, q, v, a, x) for model in models), strict=True):
            assert np.abs(one - other).max() <= 1e-12 * np.abs(other).max()


def test_stations_sleep_after_every_call_and_sums_are_zero():
    model = two_rods(Contact("c", Spheres("one", 23), Plane((0.1, 0.2, 1.0), 0.5), **LAW))
    q, v, a = 0.3 * np.random.default_rng(2).standard_normal((3, model.n))
    model.residual_tangent(q, v, a)
    space = model.workspace.own()[0]
    assert space.count[3] > 0, "nothing touched"
    assert (space.work["awake"] == ASLEEP).all()
    assert not space.folding[0, :18].any()
    assert not space.folding[1, :6].any()


def test_only_loads_on_dormant_stations_call_their_kernels():
    """And those that couple stations only where both sides move."""
    ball, rod = Ball(0.1, (0.3, 0.0, 0.0), "two"), Contact("rod", Spheres("one", 9), Plane(), **LAW)
    model = two_rods(
        rod, Contact("ball", ball, Plane(), **LAW), Contact("both", Spheres("one", 9), Spheres("two", 9), **LAW)
    )
    expected = [dormant_kernels(True, False), dormant_kernels(False, False), dormant_kernels(True, True)]
    assert [sum(call is not None for call in calls) for calls in expected] == [2, 0, 3]
    assert [load.calls[:3] for load in model.loads] == expected
    copy = pickle.loads(pickle.dumps(model))
    assert [load.calls[:3] for load in copy.loads] == expected
    q = 0.1 * np.ones(model.n)
    assert np.array_equal(copy.residual(q, q, q), model.residual(q, q, q))
