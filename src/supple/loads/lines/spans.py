"""Paths of cables and tendons: free spans between points of links, and parts that run inside rods.

The length is l = sum of |x_b - x_a| over spans + sum of w |T| over nodes of rods (see `loads.lines.routed`).
One tension pulls all of it.  It is an input, or it follows the length: T = k s(e) + d s'(e) l' >= 0 with the elongation
e = l - rest length + pulled length.  The ramp s rises from 0 at e = 0 to s = e at e = w with two continuous
derivatives, so that a slack line tightens without a jump, damped or not:

    s = w x^3 (6 - 8 x + 3 x^2),   x = e / w.

Directions give the tangents of springs and lines at a fixed tension; the rest is of rank one (`core.elastic_lines`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from supple.checks import nonnegative_float, positive_float
from supple.core.arrays import space_view
from supple.core.elastic_lines import add_line, add_part
from supple.core.gradient_arrays import gradient_view
from supple.core.load_data import Columns, Floats, Incidental, Integers, Poses, load_view
from supple.core.loads import ENERGY, MEASURE, STORES, TANGENT
from supple.jit import GradientKernel, LoadKernel, inner, local_array
from supple.loads.lines.routed import add_line_stress, add_node_gradient, line_rate, line_tangent, write_node_part
from supple.loads.lines.routes import LinePoint, line_table
from supple.loads.spring import add_span_gradient, place_point, pull, span_direction, span_growth

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.robot.bodies.densities import Functional

#: Where the tension comes from: an input, or the length; PUSHING: the input is a pressure, and lengths are volumes.
GIVEN, ELASTIC, PUSHING = 0, 1, 2

#: Default width of the ramp, relative to the rest length.
SMOOTHING = 1e-4

_vector = local_array(3)


class LinePathData(NamedTuple):
    """Arrays of a path of p points, k spans between them and m nodes of rods."""

    tension: Integers  #: (1, 2) input or -1, GIVEN, ELASTIC or PUSHING
    elastic: Annotated[Floats, Columns(stiffness="N/m", rest_length="m", damping="N s/m", smoothing="m")]  #: (1, 4)
    points: Integers  #: (p, 1) segments
    offsets: Poses  #: (p,)
    spans: Integers  #: (k, 2) points
    nodes: Integers  #: (m, 1)
    line: Annotated[Floats, Columns(coefficient="m", y="m", z="m", slope_y="", slope_z="")]  #: (m, 5)
    table: Annotated[Floats, Incidental()]  #: (m, 3) link, s and weight, for read-outs


path_data = load_view(LinePathData)


@inner
def elastic_tension(law, e, rate):
    """T, dT/dl, dT/dl' for the elongation e; ``law`` = (stiffness, rest length, damping, width)."""
    k, d, w = law[0], law[2], law[3]
    if e <= 0.0:
        return 0.0, 0.0, 0.0
    s, ds, dds = e, 1.0, 0.0
    if e < w:
        x = e / w
        s = w * x**3 * (6.0 - 8.0 * x + 3.0 * x * x)
        ds = x * x * (18.0 - 32.0 * x + 15.0 * x * x)
        dds = x * (36.0 - 96.0 * x + 60.0 * x * x) / w
    tension = k * s + d * ds * rate
    if tension <= 0.0:
        return 0.0, 0.0, 0.0
    return tension, k * ds + d * dds * rate, d * ds


@inner
def elastic_potential(law, e):
    """k times the integral of the ramp s from 0 to e [J]: k w^2 x^4 (3/2 - 8/5 x + x^2 / 2) for x = e / w < 1.

    Beyond, k (e^2 / 2 - w^2 / 10).
    """
    k, w = law[0], law[3]
    if e <= 0.0:
        return 0.0
    if e < w:
        x = e / w
        return k * w * w * x**4 * (1.5 - 1.6 * x + 0.5 * x * x)
    return k * (0.5 * e * e - 0.1 * w * w)


@inner
def place_span(space, points, offsets, span, xa, va, xb, vb):
    """Positions and velocities of both ends of a span."""
    a, b = span[0], span[1]
    place_point(space, points[a, 0], offsets[a], xa, va)
    place_point(space, points[b, 0], offsets[b], xb, vb)


@inner
def add_end(part, sign, x, v, n, d):
    """f += sign L^T n, drift += sign (L^T d + [v x n; 0]) at an end x of a span with d = P v_r / l."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        part.f[i] += sign * (x[j] * n[k] - x[k] * n[j])
        part.f[3 + i] += sign * n[i]
        part.drift[i] += sign * (x[j] * d[k] - x[k] * d[j] + v[j] * n[k] - v[k] * n[j])
        part.drift[3 + i] += sign * d[i]


@inner
def measure_path(space, path):
    """l = sum |x_b - x_a| + sum w |T| of a path, and its rate l' = sum n . (v_b - v_a) + sum w d|T|/dt."""
    xa, va, xb, vb, n = _vector(), _vector(), _vector(), _vector(), _vector()
    spans, nodes, line, length, rate = path.spans, path.nodes, path.line, 0.0, 0.0
    for i in range(spans.shape[0]):
        place_span(space, path.points, path.offsets, spans[i], xa, va, xb, vb)
        l, dl = span_direction(xa, va, xb, vb, n)
        length, rate = length + l, rate + dl
    for i in range(nodes.shape[0]):
        l, dl = line_rate(space.stress[nodes[i, 0]], line[i], xa, va)
        length, rate = length - line[i, 0] * l, rate - line[i, 0] * dl
    return length, rate


@inner
def pull_path(space, path, tension, mode):
    """A given tension along all of a path, with the tangent of its directions."""
    xa, va, xb, vb = _vector(), _vector(), _vector(), _vector()
    points, spans, nodes, line = path.points, path.spans, path.nodes, path.line
    for i in range(spans.shape[0]):
        place_span(space, points, path.offsets, spans[i], xa, va, xb, vb)
        pull(space, points[spans[i, 0], 0], points[spans[i, 1], 0], xa, xb, va, vb, tension, 0.0, 0.0, mode)
    for i in range(nodes.shape[0]):
        add_line_stress(space.stress[nodes[i, 0]], line[i], tension, mode)


@inner
def add_path_line(space, path, length, rate, tension, slope, rate_slope):
    """dl/dq of a path as parts of a line: f = [x x n; n] at ends of spans, minus that at a, and w P^T t at nodes.

    Directions drift by n' = (v_b - v_a - l' n) / l (`core.elastic_lines`).
    """
    xa, va, xb, vb, n, d = _vector(), _vector(), _vector(), _vector(), _vector(), _vector()
    points, spans, nodes, line = path.points, path.spans, path.nodes, path.line
    whole = add_line(space, length, rate, tension, slope, rate_slope)
    for i in range(points.shape[0]):
        add_part(space, whole, points[i, 0], -1)
    for i in range(spans.shape[0]):
        place_span(space, points, path.offsets, spans[i], xa, va, xb, vb)
        l, dl = span_direction(xa, va, xb, vb, n)
        if l > 0.0:
            for k in range(3):
                d[k] = (vb[k] - va[k] - dl * n[k]) / l
            add_end(space.parts[whole.first + spans[i, 0]], -1.0, xa, va, n, d)
            add_end(space.parts[whole.first + spans[i, 1]], 1.0, xb, vb, n, d)
    for i in range(nodes.shape[0]):
        write_node_part(add_part(space, whole, -1, nodes[i, 0]), space.stress[nodes[i, 0]], line[i])
    return whole


def _paths(tree, space, data, mode):
    """One path of `LinePathData`: its tension is an input, or k s(e) + d s'(e) l' with e = l - rest length + input."""
    scratch, path = space_view(space), path_data(data)
    index, law = path.tension[0, 0], path.elastic[0]
    if mode < 0 and index != -(mode + 1):
        return
    u = scratch.inputs[index] if index >= 0 else 0.0
    length, rate, tension, slope, rate_slope = 0.0, 0.0, u, 0.0, 0.0
    elastic = path.tension[0, 1] == ELASTIC
    if elastic or mode == MEASURE:
        length, rate = measure_path(scratch, path)
    if mode == ENERGY:
        scratch.energy[0] += elastic_potential(law, length - law[1] + u)
        return
    if elastic:
        tension, slope, rate_slope = elastic_tension(law, length - law[1] + u, rate)
    if mode < 0:  # pulling in is as good as stretching
        tension = slope if elastic else 1.0
    if tension != 0.0 and mode != MEASURE:
        pull_path(scratch, path, tension, mode)
    if mode == MEASURE or (mode == TANGENT and tension != 0.0 and elastic):
        add_path_line(scratch, path, length, rate, tension, slope, rate_slope)


paths = LoadKernel(_paths)


@inner
def path_growth(space, path):
    """dl = sum n . (dx_b - dx_a) + sum w t . (P eta): how a path grows.

    dx = z_v + z_w x x by the virtual twists z of its points, eta are the virtual strains of its nodes.
    """
    xa, va, xb, vb, n = _vector(), _vector(), _vector(), _vector(), _vector()
    points, spans, nodes, line, growth = path.points, path.spans, path.nodes, path.line, 0.0
    for i in range(spans.shape[0]):
        place_span(space, points, path.offsets, spans[i], xa, va, xb, vb)
        l, _ = span_direction(xa, va, xb, vb, n)
        if l > 0.0:
            growth += span_growth(space.work[points[spans[i, 0], 0]], space.work[points[spans[i, 1], 0]], xa, xb, n)
    for i in range(nodes.shape[0]):
        s = space.stress[nodes[i, 0]]
        l, _ = line_rate(s, line[i], xa, va)
        line_tangent(s.eta, line[i, 1], line[i, 2], 0.0, 0.0, xb)
        growth -= line[i, 0] * (xa[0] * xb[0] + xa[1] * xb[1] + xa[2] * xb[2]) / l
    return growth


@inner
def add_elastic_gradient(law, e, rate, growth, out):
    """out += growth (s, -dT/de, s' l', k s_w + d s'_w l'): by stiffness k, rest length, damping d, smoothing w.

    T = k s(e) + d s'(e) l' (see `elastic_tension`); ``growth`` is that of the path along virtual twists.
    """
    k, d, w = law[0], law[2], law[3]
    tension, slope, _ = elastic_tension(law, e, rate)
    if tension == 0.0:
        return
    s, ds, by_width = e, 1.0, 0.0
    if e < w:
        x = e / w
        s = w * x**3 * (6.0 - 8.0 * x + 3.0 * x * x)
        ds = x * x * (18.0 - 32.0 * x + 15.0 * x * x)
        by_width = -12.0 * k * x**3 * (1.0 - x) ** 2 - d * rate * x * x * (36.0 - 96.0 * x + 60.0 * x * x) / w
    out[0] += growth * s
    out[1] -= growth * slope
    out[2] += growth * ds * rate
    out[3] += growth * by_width


@inner
def pull_back_path(space, path, out, growth, tension, slope, rate_slope):
    """Of the power T(l, l') growth: by the points of a path and its route through rods."""
    xa, va, xb, vb, points, spans = _vector(), _vector(), _vector(), _vector(), path.points, path.spans
    for i in range(spans.shape[0]):
        place_span(space, points, path.offsets, spans[i], xa, va, xb, vb)
        a, b = spans[i, 0], spans[i, 1]
        wa, wb = space.work[points[a, 0]], space.work[points[b, 0]]
        add_span_gradient(
            wa, wb, xa, va, xb, vb, growth, tension, slope, rate_slope, out.offsets[a], out.offsets[b]
        )
    for i in range(path.nodes.shape[0]):
        s = space.stress[path.nodes[i, 0]]
        add_node_gradient(s, path.line[i], -1.0, growth * slope, growth * rate_slope, tension, out.line[i])


def _path_gradient(tree, space, data, own, everything):
    """Of the power T (growth of the path): by its law, its route and points, and its input."""
    scratch, path, out, inputs = space_view(space), path_data(data), path_data(own), gradient_view(everything).inputs
    index, law = path.tension[0, 0], path.elastic[0]
    growth, u = path_growth(scratch, path), scratch.inputs[index] if index >= 0 else 0.0
    tension, slope, rate_slope = u, 0.0, 0.0
    if path.tension[0, 1] == ELASTIC:
        length, rate = measure_path(scratch, path)
        tension, slope, rate_slope = elastic_tension(law, length - law[1] + u, rate)
        add_elastic_gradient(law, length - law[1] + u, rate, growth, out.elastic[0])
    if index >= 0:
        inputs[index] += growth * (slope if path.tension[0, 1] == ELASTIC else 1.0)
    pull_back_path(scratch, path, out, growth, tension, slope, rate_slope)


path_gradient = GradientKernel(_path_gradient)


class LinePathPoint(NamedTuple):
    """A point of a link (or of the world) that a path goes through."""

    link: str
    s: float
    offset: np.ndarray  #: (4, 4) pose in the frame there


class LinePath(NamedTuple):
    """Points, spans between some of them, nodes of rods, and parts inside soft bodies."""

    points: list[LinePathPoint]
    spans: list[tuple[int, int]]
    nodes: list[LinePoint]
    members: list[Functional]

    def rest_length(self, binder: Binder) -> float:
        """Length in the rest configuration [m]."""
        x = [(binder.rest_pose(p.link, p.s) @ p.offset)[:3, 3] for p in self.points]
        length = sum(float(np.linalg.norm(x[b] - x[a])) for a, b in self.spans)
        for p in self.nodes:
            kappa, epsilon = np.split(np.asarray(binder.rod(p.link).rest_strain(p.s)), 2)
            tangent = epsilon + np.cross(kappa, (0.0, p.y, p.z)) + (0.0, p.slope_y, p.slope_z)
            length += p.weight * float(np.linalg.norm(tangent))
        for member in self.members:
            length += member.at(binder.layout(member.link).table.rest_position)
        return length


class Elasticity(NamedTuple):
    """What a user gives of an elastic line; see `elastic_law`."""

    stiffness: Any
    rest_length: Any
    damping: Any
    smoothing: Any


def elastic_law(given: Elasticity, path: LinePath, binder: Binder) -> list[float]:
    """Stiffness, rest length, damping, width: checked, with defaults."""
    stiffness = positive_float(given.stiffness, "stiffness", "N/m")
    if given.rest_length is None:
        rest = path.rest_length(binder)
    else:
        rest = nonnegative_float(given.rest_length, "rest_length", "m")
    damping = nonnegative_float(given.damping, "damping", "N s/m")
    width = SMOOTHING * rest if given.smoothing is None else nonnegative_float(given.smoothing, "smoothing", "m")
    return [stiffness, rest, damping, width]


def bind_path(
    name: str,
    path: LinePath,
    side: int,
    binder: Binder,
    index: int = -1,
    elasticity: Elasticity | None = None,
    kind: int = GIVEN,
) -> Bound:
    """A path whose tension is input ``index``, or follows its length (then the input is a pulled length).

    ``kind`` may be PUSHING: nodes have areas, and the input is a pressure.
    """
    from supple.compilation.binder import Bound, pose_records

    stations = [binder.station(*point) for point in path.points]
    law, sign = [0.0] * 4, 1.0 if kind == PUSHING else -1.0
    binder.couplings += 2 * len(path.spans)
    parts = len(path.points) + len(path.nodes)
    if path.members:  # late: these load kernels
        from supple.loads.lines.members import member_gradient, member_parts, member_paths, with_members

        parts += member_parts(binder, path.members)
    binder.line(name, parts)
    if elasticity is not None:
        law = elastic_law(elasticity, path, binder)
    data = LinePathData(
        tension=np.array([[index, kind if elasticity is None else ELASTIC]], dtype=np.int64),
        elastic=np.array([law]),
        points=np.array([[station.segment] for station in stations], dtype=np.int64).reshape(-1, 1),
        offsets=pose_records([station.offset for station in stations]),
        spans=np.array(path.spans, dtype=np.int64).reshape(-1, 2),
        nodes=np.array([[p.node] for p in path.nodes], dtype=np.int64).reshape(-1, 1),
        line=np.array([(sign * p.weight * p.area, *p[3:7]) for p in path.nodes], dtype=float).reshape(-1, 5),
        table=line_table(path.nodes, binder),
    )
    side = side if elasticity is None else side + STORES
    if path.members:
        return Bound(name, member_paths, with_members(binder, data, path.members), side, gradient=member_gradient)
    return Bound(name, paths, data, side, gradient=path_gradient)
