"""Lines around cavities: on the wall, closed, in every part of a surface that falls into several."""

import numpy as np
import pytest

from supple.loads.lines.cavity_look import AROUND, RINGS, bore_rings, surface_rings

START, END, RADIUS, SIDES = 0.01, 0.19, 0.016, 8


def prism():
    """Vertices and triangles of a prism along x."""
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    circle = RADIUS * np.column_stack([np.cos(angle), np.sin(angle)])
    ends = [np.column_stack([np.full(SIDES, x), circle]) for x in (START, END)]
    a = np.arange(SIDES)
    b, low, high = (a + 1) % SIDES, 2 * SIDES, 2 * SIDES + 1
    faces = [(a, b, a + SIDES), (b, b + SIDES, a + SIDES), (b, a, np.full(SIDES, low))]
    faces.append((a + SIDES, b + SIDES, np.full(SIDES, high)))
    vertices = np.concatenate([*ends, [[START, 0.0, 0.0], [END, 0.0, 0.0]]])
    return vertices, np.concatenate([np.column_stack(face) for face in faces])


def test_rings_of_a_bore():
    x = bore_rings(lambda x: 0.02 - 0.05 * x, 0.2)
    assert x.shape == (RINGS * (AROUND + 1), 3)
    np.testing.assert_allclose(np.hypot(x[:, 1], x[:, 2]), 0.02 - 0.05 * x[:, 0], atol=1e-15)
    assert set(x[:, 0].round(12)) == {0.0, 0.05, 0.1, 0.15, 0.2}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_rings_of_a_surface(order):
    """Along its longest direction, whichever that is; every point is on the wall, next to the one before."""
    vertices, triangles = prism()
    turned = surface_rings(vertices[:, list(order)], triangles)
    x = np.empty_like(turned)
    x[:, list(order)] = turned
    levels = START + (END - START) * (np.arange(RINGS) + 0.5) / RINGS
    np.testing.assert_allclose(np.unique(x[:, 0].round(12)), levels)
    side = 2.0 * RADIUS * np.sin(np.pi / SIDES)
    for level in levels:
        ring = x[np.abs(x[:, 0] - level) < 1e-12]
        np.testing.assert_array_equal(ring[0], ring[-1])
        radius = np.hypot(ring[:, 1], ring[:, 2])
        assert radius.max() <= RADIUS + 1e-12
        assert radius.min() >= RADIUS * np.cos(np.pi / SIDES) - 1e-12
        steps = np.linalg.norm(np.diff(ring, axis=0), axis=1)
        assert steps.sum() == pytest.approx(SIDES * side)  # once around


def test_rings_of_two_parts():
    vertices, triangles = prism()
    both = np.concatenate([vertices, vertices + np.array([0.0, 0.0, 0.05])])
    rings = surface_rings(both, np.concatenate([triangles, triangles + len(vertices)]))
    assert len(rings) == 2 * len(surface_rings(vertices, triangles))
