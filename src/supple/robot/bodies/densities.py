"""Scalar functions of one material point and the coordinates of a soft body, of which loads take sums, as symbols.

With f(x, q) the place of a material point and F = df/dx:

* of a line X -> (X, y, z): its length per metre of X, |F (1, y', z')|;
* of a wall with the normal N at rest: f . (cof F) N / 3, the volume behind it by the divergence theorem;
* of a rim that a lid closes: c . (f x F t) / 6, the volume behind the lid, all lines from the rim to c, which is midway
  between two material points; t is the tangent of the rim;
* of a volume that the kinematics fill: det F; of where it is: (det F) f;
* of a triangle of material points: p_0 . (p_1 x p_2) / 6, the volume behind the plane triangle of their places;
* numbers of the Green strain E = (F^T F - 1) / 2 whose squares sum up to E' : E', E' being its deviator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.checks import Array
from supple.tracing.program import as_symbols, evaluate, trace
from supple.tracing.slopes import slopes_by
from supple.tracing.symbols import MATERIAL, Symbols, symbols

if TYPE_CHECKING:
    from supple.robot.bodies.soft import SoftBody


class Functional(NamedTuple):
    """A sum over places of a scalar function of a soft body's coordinates."""

    link: str
    density: Symbols  #: (1,) of k material numbers and q
    x: Array  #: (P, k) places
    weights: Array  #: (P,)

    def at(self, q: Array) -> float:
        """Its value at coordinates q (n,) of the body."""
        return float(self.weights @ evaluate(self.density, self.x, q)[:, 0])


def _traced(body: SoftBody, inputs: int) -> tuple[Symbols, Symbols]:
    """All material numbers (inputs,), and the place of the point that the first three are, as symbols."""
    place = trace(lambda x, q: body.kinematics(x[:3], q), body.size, inputs, (3,), "SoftBody: kinematics")
    return place[0].graph.inputs(MATERIAL, inputs), place


def _density(place: Symbols, value: Any) -> Symbols:
    return as_symbols(place[0].graph, np.array([value], dtype=object), (1,), "SoftBody: kinematics")


def _pushed(place: Symbols, t: Any) -> Any:
    """F t, for the entries of t by number (a missing one is 1)."""
    return sum(column * tk for column, tk in zip(np.asarray(slopes_by(place, MATERIAL, 3)).T, t, strict=True))


def line_density(body: SoftBody) -> Symbols:
    """Length of a line per metre of X, a function of (x, y, z, y', z')."""
    x, place = _traced(body, 5)
    with np.errstate(all="ignore"):
        t = _pushed(place, (1.0, x[3], x[4]))
        return _density(place, np.sqrt(t @ t))


def wall_density(body: SoftBody) -> Symbols:
    """Volume behind a wall per area at rest, a function of (x, N)."""
    x, place = _traced(body, 6)
    a, b, c = np.asarray(slopes_by(place, MATERIAL, 3)).T
    normal = x[3] * np.cross(b, c) + x[4] * np.cross(c, a) + x[5] * np.cross(a, b)
    return _density(place, (np.asarray(place) @ normal) / 3.0)


def volume_density(body: SoftBody) -> Symbols:
    """Volume per volume at rest, a function of x."""
    a, b, c = np.asarray(body.gradient).T
    return _density(body.place, a @ np.cross(b, c))


def displaced_density(body: SoftBody) -> Symbols:
    """Volume per volume at rest and its first moment in the frame of the base (4,), functions of x."""
    a, b, c = np.asarray(body.gradient).T
    J = a @ np.cross(b, c)
    values = [J, *(J * y for y in np.asarray(body.place))]
    return as_symbols(body.place[0].graph, np.array(values, dtype=object), (4,), "SoftBody: kinematics")


def deviatoric_strain(F: Symbols) -> Symbols:
    """Numbers (5,) of the Green strain of a deformation gradient, whose squares sum up to that of its deviator."""
    columns = np.asarray(F).T
    xx, yy, zz, xy, xz, yz = (
        0.5 * (columns[i] @ columns[j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    )
    root = np.sqrt(2.0)
    numbers = [(xx - yy) / root, (xx + yy - 2.0 * zz) / np.sqrt(6.0), root * xy, root * xz, root * yz]
    return as_symbols(F[0, 0].graph, np.array(numbers, dtype=object), (5,), "SoftBody: kinematics")


def lid_density(body: SoftBody) -> Symbols:
    """Volume behind a lid per length of its rim, a function of (x, t, and the two points around c)."""

    def outputs(x: Any, q: Any) -> Any:
        return np.concatenate([np.stack(list(body.kinematics(x[i : i + 3], q))) for i in (0, 6, 9)])

    places = trace(outputs, body.size, 12, (9,), "SoftBody: kinematics")
    x, place = places[0].graph.inputs(MATERIAL, 12), symbols(places[:3])
    middle = 0.5 * (np.asarray(places[3:6]) + np.asarray(places[6:]))
    return _density(place, (middle @ np.cross(np.asarray(place), _pushed(place, (x[3], x[4], x[5])))) / 6.0)


def triangle_density(body: SoftBody) -> Symbols:
    """Volume behind a triangle of material points, a function of all three."""

    def volume(x: Any, q: Any) -> Any:
        a, b, c = (np.stack(list(body.kinematics(x[i : i + 3], q))) for i in (0, 3, 6))
        return np.stack([(a @ np.cross(b, c)) / 6.0])

    return trace(volume, body.size, 9, (1,), "SoftBody: kinematics")


def bore(link: str, body: SoftBody, radii: Callable[[Array], Array], rule: tuple[Array, Array]) -> list[Functional]:
    """The volume of a round hole along the axis, closed by lids at base and tip.

    ``radii`` gives its radius at places (k,) of the axis, linear; ``rule`` are nodes and weights on [0, 1] along it.
    Around it there are as many points as the body has.
    """
    length, (s, w), around = float(body.domain.length), rule, body.points[2]
    angle = 2.0 * np.pi * (np.arange(around) + 0.5) / around
    cos, sin, r = np.cos(angle), np.sin(angle), radii(length * s)
    ends = radii(np.array([0.0, length]))
    grid = np.zeros((len(s), around, 6))
    grid[..., 0], grid[..., 1], grid[..., 2] = (length * s)[:, None], r[:, None] * cos, r[:, None] * sin
    grid[..., 3], grid[..., 4], grid[..., 5] = -(ends[1] - ends[0]) / length, cos, sin
    weights = np.broadcast_to((length * w * r)[:, None] * (2.0 * np.pi / around), grid.shape[:2])
    lids = np.zeros((2, around, 12))
    for lid, x, radius in zip(lids, (0.0, length), ends.tolist(), strict=True):
        lid[:, 0], lid[:, 1], lid[:, 2] = x, radius * cos, radius * sin
        lid[:, 4], lid[:, 5] = -radius * sin, radius * cos
        lid[:, 6], lid[:, 9], lid[:, 7], lid[:, 10] = x, x, radius, -radius
    signs = np.repeat([-1.0, 1.0], around) * (2.0 * np.pi / around)
    return [
        Functional(link, wall_density(body), grid.reshape(-1, 6), weights.reshape(-1).copy()),
        Functional(link, lid_density(body), lids.reshape(-1, 12), signs),
    ]
