"""Contact between shapes: what a user describes, and how it becomes the arrays of `loads.contact.kernel`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.checks import finite_float, flag, nonnegative_float, positive_float, shown
from supple.core.dormant_folding import dormant_kernels
from supple.core.loads import EXTERNAL
from supple.errors import ModelError, naming
from supple.loads.contact.gradient import pair_gradient
from supple.loads.contact.kernel import ContactData, contacts
from supple.loads.contact.meetings import meetings
from supple.loads.contact.shapes import ContactShape, ContactSphere, Meeting, Spheres, Surface
from supple.loads.contact.sliding import slide

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.compilation.scene import Mark

#: Spheres per bounding ball of the broad phase, at most; of those at dormant stations four times as many.
CHUNK = 8


@dataclass(frozen=True, eq=False)
class Contact:
    """Two shapes that push each other away where they overlap, and rub.

    Parameters
    ----------
    name : str
        For messages and reports.
    a, b : Shape
        What touches: `Spheres` along a rod or at points of a soft body, `Ball`, `Capsule`, `Box`, `Plane`, `Tube`, on
        links or on the world.
        The same `Spheres` twice: a rod against itself.
    stiffness : float
        k of the normal force k d^p of every point of contact, N/m^p (N/m^(p+1) with ``per_length``).
    exponent : float
        p >= 1; 1.5 is Hertz.
    damping : float
        c of the factor 1 + c d' (Hunt-Crossley), s/m.
    friction : float
        Coefficient mu of Coulomb friction.
    slip_velocity : float
        Speed below which friction becomes viscous, m/s.
    per_length : bool
        ``a`` is a rod's `Spheres`: stiffness per metre, at the rod's Gauss nodes in place of its n stations.

    Examples
    --------
    >>> from supple.loads.contact.shapes import Plane, Spheres
    >>> floor = Contact("floor", Spheres("arm", n=20), Plane(), stiffness=1e5, friction=0.5)
    """

    name: str
    a: ContactShape
    b: ContactShape
    stiffness: float
    exponent: float = 1.5
    damping: float = 0.0
    friction: float = 0.0
    slip_velocity: float = 1e-3
    per_length: bool = False

    def __post_init__(self) -> None:
        with naming(f"Contact {shown(self.name)}"):
            for which in ("a", "b"):
                if not isinstance(getattr(self, which), ContactShape):
                    raise ModelError(
                        f"{which} is {shown(getattr(self, which))}, must be a shape such as Spheres or Plane"
                    )
            rods = isinstance(self.a, Spheres) + isinstance(self.b, Spheres)
            if flag(self.per_length, "per_length") and rods != 1:
                raise ModelError("per_length needs Spheres on one side and another shape on the other")
            self.law()

    def law(self) -> list[float]:
        """Stiffness, exponent, damping, friction, slip velocity, checked."""
        exponent = finite_float(self.exponent, "exponent")
        if exponent < 1.0:
            raise ModelError(f"exponent is {exponent:g}, must be at least 1: the stiffness at first touch is infinite")
        return [
            nonnegative_float(self.stiffness, "stiffness", "N/m^p"),
            exponent,
            nonnegative_float(self.damping, "damping", "s/m"),
            nonnegative_float(self.friction, "friction"),
            positive_float(self.slip_velocity, "slip_velocity", "m/s"),
        ]

    def stations(self) -> Iterable[tuple[str, float]]:
        """Where the shapes sit, but for spheres along rods."""
        for shape in (self.a, self.b):
            if not isinstance(shape, Spheres):
                yield from shape.stations()
            elif self.per_length:
                yield shape.link, 0.0  # at the rod's own points; the link is checked

    def dormant_stations(self) -> Iterable[tuple[str, float]]:
        """Where the spheres along rods sit: the rod goes there only when they may touch (see `core.dormant`)."""
        for shape in (self.a, self.b):
            if isinstance(shape, Spheres) and not self.per_length:
                yield from shape.stations()

    def bind(self, binder: Binder) -> Bound:
        """Everything that may touch."""
        bound = bind_meetings(self.name, meetings(self.a, self.b, binder, self.per_length), self.law(), binder)
        return bound._replace(spread=self.per_length)

    def sketch(self, binder: Binder) -> list[Mark]:
        """Both shapes; one that touches itself, once."""
        shapes = (self.a,) if self.a is self.b else (self.a, self.b)
        return [mark for shape in shapes for mark in shape.marks(binder)]


def bind_meetings(name: str, meeting: Meeting, law: list[float], binder: Binder) -> Bound:
    """Spheres and surfaces as arrays of the kernel; room for the couplings of all pairs that may touch."""
    from supple.compilation.binder import Bound, pose_records

    spheres, surfaces = meeting.spheres, meeting.surfaces
    places = [binder.station(sphere.link, sphere.s, sphere.frame) for sphere in spheres]
    grounds = [binder.station(surface.link, surface.s, surface.frame) for surface in surfaces]
    where = np.array([[place.segment] for place in places], dtype=np.int64)
    on = np.array([(g.segment, s.kind) for g, s in zip(grounds, surfaces, strict=True)], dtype=np.int64)
    skip = meeting.skip | (where == on[:, 0])  # on one body nothing moves
    if skip.all():
        raise ModelError("nothing here can move against anything else: both shapes are on the world or on one body")
    dormant, moving = np.array(sorted(binder.dormant), dtype=np.int64), ~skip & (where > 0) & (on[:, 0] > 0)
    asleep = np.isin(where, dormant) | np.isin(on[:, 0], dormant)
    binder.couplings += 2 * int(np.sum(moving & ~asleep))
    sphere_groups, sphere_bounds = grouped(binder, spheres, where[:, 0])
    surface_groups, surface_bounds = grouped(binder, surfaces, on[:, 0])
    binder.balls = max(binder.balls, len(sphere_groups) + len(surface_groups))
    data = ContactData(
        sphere_segments=where,
        spheres=np.array([sphere.numbers for sphere in spheres]),
        sphere_frames=pose_records([place.offset for place in places]),
        surfaces=on,
        surface_sizes=np.array([surface.size for surface in surfaces], dtype=float),
        surface_frames=pose_records([ground.offset for ground in grounds]),
        skip=skip.astype(np.int64),
        law=np.array([law]),
        sphere_groups=sphere_groups,
        sphere_bounds=sphere_bounds,
        surface_groups=surface_groups,
        surface_bounds=surface_bounds,
        sphere_places=place_table(binder, spheres),
        surface_places=place_table(binder, surfaces),
    )
    sliding = slide if any(sphere.length > 0.0 for sphere in spheres) else None
    calls = (*dormant_kernels(bool(asleep.any()), bool((moving & asleep).any())), sliding)
    return Bound(name, contacts, data, EXTERNAL, calls=calls, gradient=pair_gradient)


def place_table(binder: Binder, shapes: Sequence[ContactSphere | Surface]) -> np.ndarray:
    """(m, 2) [number of the link, s] of shapes, -1 for the world, s NaN at material points: for read-outs alone."""
    numbers = {layout.name: i for i, layout in enumerate(binder.layouts)}
    return np.array([(numbers.get(shape.link, -1), shape.s) for shape in shapes], dtype=float).reshape(-1, 2)


def grouped(
    binder: Binder, shapes: Sequence[ContactSphere | Surface], segments: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Groups of the broad phase and their bounds: the dormant stations of one point of a rod, or up to `CHUNK` others.

    Returns
    -------
    groups : (g, 4) ints
        First, last; first and last dormant segment, 0 if there are none.
    bounds : (g, 5 + n) floats
        Of dormant stations: longest step, most of the rest strains (angular, linear), number of angular coordinates,
        most of each |phi|, how far shapes reach from their station.
    """
    points: list[tuple[str, int] | None] = [
        (shape.link, binder.rod(shape.link).point_under(shape.s)) if segment in binder.dormant else None
        for shape, segment in zip(shapes, segments.tolist(), strict=True)
    ]
    spans: list[tuple[int, int]] = []
    for i, point in enumerate(points):
        most = CHUNK if point is None else 4 * CHUNK
        if spans and point == points[i - 1] and i - spans[-1][0] < most:
            spans[-1] = (spans[-1][0], i + 1)
        else:
            spans.append((i, i + 1))
    groups = np.zeros((len(spans), 4), dtype=np.int64)
    rows = [np.zeros(5)] * len(spans)
    for g, (first, last) in enumerate(spans):
        groups[g, :2] = first, last
        if points[first] is not None:
            groups[g, 2:] = segments[first:last].min(), segments[first:last].max()
            rows[g] = _bound(binder, shapes[first:last])
    bounds = np.zeros((len(rows), max(map(len, rows))))
    for bound, row in zip(bounds, rows, strict=True):
        bound[: len(row) - 1], bound[-1] = row[:-1], row[-1]
    return groups, bounds


def _bound(binder: Binder, shapes: Sequence[ContactSphere | Surface]) -> np.ndarray:
    """Bounds of the dormant stations of one point."""
    rod = binder.rod(shapes[0].link)
    start = float(rod.s[rod.point_under(shapes[0].s)])
    ends = np.array([shape.s for shape in shapes])
    steps = rod.steps(np.full(len(ends), start), ends)
    rest = np.abs(steps.rest)
    angular, linear = (np.linalg.norm(part, axis=-1).max() for part in (rest[..., :3], rest[..., 3:]))
    phi = np.abs(steps.phi).max(axis=(0, 1))
    head = [2.0 * float(steps.half.max()), angular, linear, float(np.sum(rod.component < 3))]
    return np.array([*head, *phi, max(shape.reach for shape in shapes)])
