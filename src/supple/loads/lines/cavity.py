"""Cavities: closed hollows of soft bodies that a pressure blows up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Array, ask, flag, real_array, shown
from supple.compilation.scene import Place, SoftPoint, Strand
from supple.core.loads import INTERNAL, WRENCHLESS
from supple.errors import ModelError
from supple.loads.lines.cavity_look import bore_rings, surface_rings, wall_rings
from supple.loads.lines.spans import PUSHING, LinePath, bind_path
from supple.numerics.quadrature import gauss_legendre

#: Areas of a closed wall sum up to nothing, up to errors of their rule: relative to all of them.
CLOSED = 1e-3

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.compilation.scene import Mark
    from supple.robot.bodies.densities import Functional
    from supple.robot.bodies.soft import SoftBody


@dataclass(frozen=True, eq=False)
class Cavity:
    """A closed hollow of a soft body; its input is the pressure p in pascal, above that outside.

    Parameters
    ----------
    name : str
        Name of the input.
    link : str
        A link with a soft body.
    surface : (vertices, triangles), optional
        What closes the hollow: material points (V, 3), m, and triangles (T, 3) of them, each edge belonging to two.
        They move with the material, and stay plane.  Omitted: the bore of a hollow cylinder, closed by lids at its
        ends, with a smooth wall.
    region : callable, optional
        In place of a surface, a chamber that the kinematics fill: whether a material point x (3,) lies in it.
        Its volume is that of the body's points there as they deform, the sum of det(df/dx).
    wall : (points, areas), optional
        In place of a surface, a rule that sums over a smooth one: material points (P, 3), m, and the areas (P, 3) that
        they stand for, m^2, vectors normal to the wall at rest that look outward. The wall stays as smooth as the
        kinematics are, and a few Gauss nodes do what many triangles would.

    Notes
    -----
    Virtual work p dV: the generalised force is p dV/dq, V(q) the volume by the divergence theorem over the moved
    surface.  `Model.line_lengths` tells it.

    Examples
    --------
    >>> Cavity("p", "gripper").link
    'gripper'
    """

    name: str
    link: str
    surface: Any = None
    region: Callable[[Array], bool] | None = None
    wall: Any = None

    def stations(self) -> Iterable[tuple[str, float]]:
        """A cavity acts on its body's own coordinates; the link is checked."""
        return [(self.link, 0.0)]

    def bind(self, binder: Binder) -> Bound:
        """Functionals that sum up to the volume."""
        body = binder.robot_link(self.link).body
        soft = body.continuum
        if soft is None:
            raise ModelError(f"link {self.link!r} is {body.noun}, but cavities are hollows of soft bodies")
        given = [name for name in ("surface", "region", "wall") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ModelError(f"{' and '.join(given)} are both given, must be one of them")
        if self.region is not None:
            parts = [self._filled(soft, self.region)]
        elif self.wall is not None:
            parts = [self._smooth(soft)]
        else:
            parts = self._bore(soft) if self.surface is None else [self._polyhedron(soft)]
        volume = sum(part.at(soft.rest_position) for part in parts)
        if not volume > 0.0:
            raise ModelError(f"the volume at rest is {volume:g} m^3, must be positive")
        path = LinePath([], [], [], parts)
        return bind_path(self.name, path, INTERNAL + WRENCHLESS, binder, binder.input(self.name), kind=PUSHING)

    def sketch(self, binder: Binder) -> list[Mark]:
        """A line around its wall, ring after ring; a region is not shown."""
        soft = binder.robot_link(self.link).body.continuum
        if soft is None or self.region is not None:
            return []
        if self.wall is not None:
            x = wall_rings(_checked_wall(self.wall)[0])
        elif self.surface is None:
            x = bore_rings(soft.domain.bore, float(soft.domain.length)) if soft.domain.bore else np.zeros((0, 3))
        else:
            x = surface_rings(*_checked_surface(self.surface))
        length = soft.domain.length or 1.0
        points = [SoftPoint(tuple(p), p[0] / length, soft.place) for p in x.tolist()]
        return [Strand("chamber", self.name, tuple(Place(self.link, point=point) for point in points))]

    def _bore(self, soft: SoftBody) -> list[Functional]:
        from supple.robot.bodies.densities import bore

        radii = soft.domain.bore
        if radii is None:
            raise ModelError(
                f"surface is missing: the domain of link {self.link!r}, {type(soft.domain).__name__}, has no bore; "
                "give (vertices, triangles)"
            )
        return bore(self.link, soft, radii, gauss_legendre(soft.points[0]))

    def _filled(self, soft: SoftBody, region: Callable[[Array], bool]) -> Functional:
        from supple.robot.bodies.densities import Functional, volume_density

        x, volume = soft.quadrature
        inside = [flag(ask(region, (point,), "region", ModelError), "region") for point in x]
        if not any(inside):
            raise ModelError("region holds none of the body's points")
        return Functional(self.link, volume_density(soft), x[inside], volume[inside])

    def _smooth(self, soft: SoftBody) -> Functional:
        from supple.robot.bodies.densities import Functional, wall_density

        points, areas = _checked_wall(self.wall)
        sum_at_rest = Functional(self.link, wall_density(soft), np.hstack([points, areas]), np.ones(len(points)))
        return _outward(sum_at_rest, soft)

    def _polyhedron(self, soft: SoftBody) -> Functional:
        from supple.robot.bodies.densities import Functional, triangle_density

        vertices, triangles = _checked_surface(self.surface)
        x = vertices[triangles].reshape(-1, 9)
        return _outward(Functional(self.link, triangle_density(soft), x, np.ones(len(x))), soft)


def _outward(volume: Functional, soft: SoftBody) -> Functional:
    """A volume that is positive at rest; of walls that look inward it would be negative."""
    return volume if volume.at(soft.rest_position) >= 0.0 else volume._replace(weights=-volume.weights)


def _checked_wall(wall: Any) -> tuple[Array, Array]:
    """Points and areas (P, 3) of a closed wall."""
    if not isinstance(wall, (tuple, list)) or len(wall) != 2:
        raise ModelError(f"wall is {shown(wall)}, must be (points (P, 3), areas (P, 3))")
    points, areas = (real_array(given, f"wall: {name}") for given, name in zip(wall, ("points", "areas"), strict=True))
    if points.ndim != 2 or points.shape[1] != 3 or not len(points) or areas.shape != points.shape:
        raise ModelError(f"wall: points and areas have shapes {points.shape} and {areas.shape}, must be (P, 3) both")
    if not (np.isfinite(points).all() and np.isfinite(areas).all()):
        raise ModelError("wall: points and areas must be finite")
    total, open_by = float(np.linalg.norm(areas, axis=1).sum()), float(np.linalg.norm(areas.sum(axis=0)))
    if not open_by <= CLOSED * total:
        raise ModelError(
            f"wall: its areas sum up to {open_by:g} m^2 of {total:g}, but those of a closed wall that look outward "
            "cancel; take more points, or look whether a part is missing"
        )
    return points, areas


def _checked_surface(surface: Any) -> tuple[Array, np.ndarray]:
    """Vertices (V, 3) and triangles (T, 3) of a closed surface, all looking to the same side."""
    if not isinstance(surface, (tuple, list)) or len(surface) != 2:
        raise ModelError(f"surface is {shown(surface)}, must be (vertices (V, 3), triangles (T, 3))")
    vertices, given = real_array(surface[0], "surface: vertices"), real_array(surface[1], "surface: triangles")
    if vertices.ndim != 2 or vertices.shape[1] != 3 or not np.isfinite(vertices).all():
        raise ModelError(f"surface: vertices has shape {vertices.shape}, must be finite numbers (V, 3)")
    if given.ndim != 2 or given.shape[1] != 3 or not len(given) or not (given == np.floor(given)).all():
        raise ModelError(f"surface: triangles has shape {given.shape}, must be whole numbers (T, 3)")
    if given.min() < 0 or given.max() >= len(vertices):
        raise ModelError(f"surface: triangles name vertices {given.min():g} to {given.max():g}, of {len(vertices)}")
    triangles = given.astype(np.int64)
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    there, back = ({tuple(edge) for edge in way.tolist()} for way in (edges, edges[:, ::-1]))
    if len(there) != len(edges) or there != back:
        edge = next(iter(there - back), tuple(edges[0].tolist()))
        raise ModelError(
            f"surface: the edge between vertices {edge[0]} and {edge[1]} does not belong to two triangles that look to "
            "the same side; the surface must be closed"
        )
    return vertices, triangles
