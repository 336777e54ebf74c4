"""What the tests of the compiled core share: random robots and states, measures of error.

Everything random comes from a NumPy generator of a given seed, so a failing test names its own reproduction.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import supple as sp
from soft_robots import random_soft
from supple.model.model import Model

DATA = Path(__file__).parent / "data"

#: Number of random robots that property tests look at.
ROBOTS = 210

COMPONENTS = ("torsion", "bend_y", "bend_z", "stretch", "shear_y", "shear_z")


# ---------------------------------------------------------------------- measures


def relative_error(x, reference, floor=0.0):
    """Largest deviation of ``x``, relative to the largest entry of the reference or to ``floor`` if that is more.

    The floor is for references that may vanish: the natural size of their terms.
    """
    x, reference = np.asarray(x, dtype=float), np.asarray(reference, dtype=float)
    assert x.shape == reference.shape, f"shapes differ: {x.shape}, {reference.shape}"
    if x.size == 0:
        return 0.0
    scale = max(float(np.abs(reference).max()), floor)
    return float(np.abs(x - reference).max() / (scale if scale > 0.0 else 1.0))


def size(x):
    """Largest entry."""
    return float(np.abs(x).max())


def central_difference(function: Callable[[float], np.ndarray], step: float = 3e-3) -> np.ndarray:
    """df/dx at 0, sixth order in ``step``."""
    f = [np.asarray(function(k * step), dtype=float) for k in (-3, -2, -1, 1, 2, 3)]
    return (0.75 * (f[3] - f[2]) - 0.15 * (f[4] - f[1]) + (f[5] - f[0]) / 60.0) / step


def difference_jacobian(function, x, step: float = 3e-3):
    """d function / dx by central differences: one column per entry of x, in the last axis."""
    columns = []
    for direction in np.eye(len(x)):
        columns.append(central_difference(lambda e, d=direction: function(x + e * d), step))
    return np.stack(columns, axis=-1)


def hat(X):
    """The 4x4 matrix of a twist, angular part first."""
    x, y, z, a, b, c = X
    return np.array([[0, -z, y, a], [z, 0, -x, b], [-y, x, 0, c], [0, 0, 0, 0]], dtype=float)


def vee(matrix):
    """The twist of a 4x4 matrix."""
    return np.array([matrix[2, 1], matrix[0, 2], matrix[1, 0], *matrix[:3, 3]])


def body_twist(pose, rate):
    """(g^-1 dg)^vee."""
    return vee(np.linalg.solve(pose, rate))


# ---------------------------------------------------------------------- random ingredients


def random_rotation(rng):
    return Rotation.from_quat(rng.standard_normal(4)).as_matrix()


def random_pose(rng, size=0.3):
    return sp.pose(xyz=rng.uniform(-size, size, 3), rotation=random_rotation(rng))


def random_axis(rng):
    """A coordinate axis by name, or any direction."""
    if rng.random() < 0.4:
        return str(rng.choice(["x", "y", "z", "-x", "-y", "-z"]))
    return rng.standard_normal(3)


def random_spd(rng, n, scale=1.0):
    A = rng.standard_normal((n, n))
    return scale * (A @ A.T + 0.1 * np.eye(n))


JOINTS: dict[str, Callable] = {
    "Fixed": lambda rng, options: sp.Fixed(),
    "Revolute": lambda rng, options: sp.Revolute(random_axis(rng), **options(1)),
    "Prismatic": lambda rng, options: sp.Prismatic(random_axis(rng), **options(1)),
    "Helical": lambda rng, options: sp.Helical(random_axis(rng), rng.uniform(-0.3, 0.3), **options(1)),
    "Cylindrical": lambda rng, options: sp.Cylindrical(random_axis(rng), **options(2)),
    "Universal": lambda rng, options: sp.Universal(*_oblique_pair(rng), **options(2)),
    "Planar": lambda rng, options: sp.Planar(random_axis(rng), **options(3)),
    "Translational": lambda rng, options: sp.Translational(**options(3)),
    "Spherical": lambda rng, options: sp.Spherical(**options(3)),
    "Free": lambda rng, options: sp.Free(**options(6)),
    "Euler": lambda rng, options: sp.Euler(str(rng.choice(["xyz", "zyx", "yzx"])), **options(3)),
    "Composite": lambda rng, options: sp.Composite(*_series(rng), **options(3)),
}

#: Joints that are no products of exponentials, which the transcription of the paper does not know.
SPLINES: dict[str, Callable] = {
    "CurveJoint": lambda rng, options: sp.CurveJoint(random_frames(rng), **options(1)),
    "SurfaceJoint": lambda rng, options: sp.SurfaceJoint(random_surface(rng), **options(2)),
    "Series": lambda rng, options: sp.Composite(sp.CurveJoint(random_frames(rng)), sp.Universal(*_oblique_pair(rng))),
}


def random_frames(rng, count=4):
    """Frames of a curve, half a radian or less from upright, that runs along x.

    Of four it is one piece: between pieces third derivatives jump, which spoils differences of high order.
    """
    return [sp.pose((0.3 * k, *rng.uniform(-0.2, 0.2, 2)), rng.uniform(-0.5, 0.5, 3)) for k in range(count)]


def random_surface(rng, rows=4, columns=4):
    """Control values of a surface over (x, y)."""
    values = 0.3 * rng.standard_normal((6, rows, columns))
    values[0] += 0.5 * np.arange(rows)[:, None]
    values[1] += 0.5 * np.arange(columns)
    return values


def _series(rng):
    """Joints of three coordinates together."""
    return sp.Prismatic(random_axis(rng)), sp.Universal(*_oblique_pair(rng))


def _oblique_pair(rng):
    first = rng.standard_normal(3)
    across = np.cross(first, rng.standard_normal(3))
    return first, across / np.linalg.norm(across) + 0.3 * first / np.linalg.norm(first)


def random_joint(rng, kind=None, bare=False):
    """A joint of the named or any kind, often with spring, damper, rest and soft limits unless ``bare``."""
    kind = str(rng.choice(list(JOINTS))) if kind is None else kind

    def options(k):
        chosen = {}
        if bare:
            return chosen
        if rng.random() < 0.5:
            chosen["stiffness"] = [rng.uniform(1, 5), rng.uniform(1, 5, k), random_spd(rng, k)][rng.integers(3)]
            chosen["rest"] = rng.uniform(-0.5, 0.5, k)
        if rng.random() < 0.5:
            chosen["damping"] = [rng.uniform(0, 1), rng.uniform(0, 1, k), random_spd(rng, k)][rng.integers(3)]
        if rng.random() < 0.4:
            lower = rng.uniform(-1.0, 0.0, k)
            chosen["limits"] = [(lo, lo + rng.uniform(0.2, 1.0)) for lo in lower]
            chosen["limits"][rng.integers(k)] = (-np.inf, 0.1)
            chosen["limit_stiffness"] = rng.uniform(10.0, 100.0)
            chosen["limit_width"] = rng.uniform(0.05, 0.3)
        return chosen

    return (JOINTS | SPLINES)[kind](rng, options)


def random_rigid(rng):
    """A body of four point masses, hence with a full and physical inertia; or one of the solids."""
    tip = random_pose(rng)
    kind = rng.integers(8)
    if kind == 0:
        return sp.Rigid.box(tuple(rng.uniform(0.1, 0.3, 3)), density=300.0, tip=tip)
    if kind == 1:
        return sp.Rigid.cone(rng.uniform(0.1, 0.4), 0.1, 0.05, density=300.0)
    if kind == 2:
        return sp.Rigid.sphere(rng.uniform(0.1, 0.2), density=300.0, tip=tip)
    masses, x = rng.uniform(0.3, 1.0, 4), rng.uniform(-0.2, 0.2, (4, 3))
    mass, com = masses.sum(), masses @ x / masses.sum()
    x = x - com
    inertia = sum(m * (y @ y * np.eye(3) - np.outer(y, y)) for m, y in zip(masses, x, strict=True))
    return sp.Rigid(mass, inertia, com, tip)


FAMILIES: dict[str, Callable] = {
    "Legendre": lambda rng: sp.Legendre(int(rng.integers(0, 3))),
    "Monomial": lambda rng: sp.Monomial(int(rng.integers(0, 3))),
    "Chebyshev": lambda rng: sp.Chebyshev(int(rng.integers(0, 3))),
    "Fourier": lambda rng: sp.Fourier(1),
    "PiecewiseConstant": lambda rng: sp.PiecewiseConstant(int(rng.integers(1, 4))),
    "Hat": lambda rng: sp.Hat(int(rng.integers(1, 3))),
    "Hermite": lambda rng: sp.Hermite(1),
    "Gaussian": lambda rng: sp.Gaussian(int(rng.integers(1, 3))),
    "CustomBasis": lambda rng: sp.CustomBasis(_custom_functions(rng.uniform(0.5, 1.5))),
}


def _custom_functions(frequency):
    return lambda s: [1.0, np.sin(frequency * s), s * s]


def random_basis(rng, family=None):
    """One family over some components, or (a third of the time) a mix of families."""
    free = [name for name in COMPONENTS if rng.random() < 0.45] or [str(rng.choice(COMPONENTS))]
    if family is None and rng.random() < 0.35:
        return sp.Strain(**{name: FAMILIES[str(rng.choice(list(FAMILIES)))](rng) for name in free})
    family = str(rng.choice(list(FAMILIES))) if family is None else family
    one = FAMILIES[family](rng)
    free = free[:3] if family in ("Hermite", "Fourier", "CustomBasis") else free
    return type(one)(**dict.fromkeys(free, one.order))


def random_section(rng):
    """A section and its material (None for a section given by its matrices)."""
    material = sp.Material(
        young=rng.uniform(1e4, 1e5),
        poisson=rng.uniform(0.2, 0.5),
        density=rng.uniform(500.0, 1500.0),
        viscosity=rng.uniform(0.0, 50.0),
        damping_time=rng.uniform(0.0, 1e-3),
    )
    a, b = rng.uniform(0.05, 0.1, 2)
    kind = rng.integers(6)
    if kind == 0:
        return sp.Circle((a, b)), material
    if kind == 1:
        return sp.Circle(lambda s: a + (b - a) * s * s), material
    if kind == 2:
        return sp.Annulus((a, b), 0.02), material
    if kind == 3:
        return sp.Rectangle((2 * a, 2 * b), 2 * b, shear_factor=5 / 6), material
    if kind == 4:
        return sp.Ellipse(a, (b, a), torsion_constant=a**3 * b), material
    mass, offset = rng.uniform(3.0, 8.0), rng.uniform(-0.02, 0.02, 3)
    x, y, z = offset
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    rotary = mass * np.diag([a * a + b * b, a * a, b * b]) - mass * cross @ cross
    inertia = np.block([[rotary, mass * cross], [-mass * cross, mass * np.eye(3)]])
    stiffness = random_spd(rng, 6, scale=5.0)
    return sp.Section(lambda s: (1.0 + s) * stiffness, inertia, damping=0.01 * stiffness), None


def random_rest_strain(rng):
    """None, a constant pre-curved and sheared rod, or one that varies along its length."""
    kind = rng.integers(3)
    if kind == 0:
        return None
    constant = np.concatenate([rng.uniform(-2, 2, 3), [rng.uniform(0.8, 1.2)], rng.uniform(-0.2, 0.2, 2)])
    if kind == 1:
        return constant
    slope = np.concatenate([rng.uniform(-2, 2, 3), rng.uniform(-0.1, 0.1, 3)])
    return lambda s: constant + np.sin(2.0 * s) * slope


def coupled_energy(e, K, s):
    """A law of every operation that couples all strains, for random rods."""
    linear = 0.5 * e @ K @ e
    return linear * (1.0 + 0.2 * np.tanh(e[1] - s)) + 0.1 * np.exp(0.3 * np.sin(e[0] * e[5])) + 0.2 * (e @ e) ** 2


def random_law(rng):
    """A law that is smooth at all strains, whatever the section."""
    c = dict(zip(COMPONENTS, rng.uniform(0.1, 2.0, 6), strict=True))
    return (sp.Stiffening(**c), sp.Saturating(**c), sp.StrainEnergy(coupled_energy))[rng.integers(3)]


def random_rod(rng, family=None, laws=0.0):
    basis = random_basis(rng, family)
    section, material = random_section(rng)
    return sp.Rod(
        length=rng.uniform(0.3, 0.8),
        section=section,
        material=material,
        strain=basis,
        # one node more than the strains need carries the joint before the rod as well: M is regular
        points=basis.min_points + 1,
        rest_strain=random_rest_strain(rng),
        magnus=int(rng.choice([2, 4, 4])),
        extra_points=tuple(rng.uniform(0.05, 0.95, rng.integers(0, 3))),
        law=random_law(rng) if laws and rng.random() < laws else None,
    )


# ---------------------------------------------------------------------- random robots


def random_robot(
    rng, links=None, gravity=None, root=None, bare_root=False, most=26, rods=0.5, splines=0.0, soft=0.0, laws=0.0
):
    """A tree of rods and rigid bodies, held by any joints.

    Children hang on rods and on bodies in random poses, several of them may stand on the world, and they may be
    added before their parents.  ``root`` is the kind of joint of a single root, without springs if ``bare_root``;
    ``splines`` is the share of joints along splines, ``soft`` that of soft bodies among links, ``laws`` that of rods
    with a nonlinear law.
    """
    links = int(rng.integers(1, 6)) if links is None else links
    gravity = rng.uniform(-10.0, 10.0, 3) if gravity is None else gravity
    specs = []
    total = 0
    for i in range(links):
        body = random_rod(rng, laws=laws) if rng.random() < rods else random_rigid(rng)
        if soft and rng.random() < soft:
            body = random_soft(rng)
        elif i > 0 and rng.random() < 0.1:
            body = sp.Rigid(0.0, np.zeros(3), tip=random_pose(rng))  # an adapter without mass, fixed
        massless = isinstance(body, sp.Rigid) and body.mass == 0.0
        single = root is not None
        kind = root if (i == 0 and single) else ("Fixed" if massless else None)
        if splines and kind is None and rng.random() < splines:
            kind = str(rng.choice(list(SPLINES)))
        joint = random_joint(rng, kind, bare=bare_root and i == 0)
        parent = "world" if i == 0 else f"link{rng.integers(i)}"
        if not single and rng.random() < 0.15:
            parent = "world"
        coordinates = joint.dof + body.size
        if i > 0 and total + coordinates > most:
            break
        total += coordinates
        specs.append((f"link{i}", body, joint, parent, random_pose(rng)))
    if total == 0:
        name, body, _, parent, at = specs[0]
        specs[0] = (name, body, sp.Revolute("y"), parent, at)
    if rng.random() < 0.3:
        specs = [specs[i] for i in rng.permutation(len(specs))]
    robot = sp.Robot("random", gravity=gravity)
    for name, body, joint, parent, at in specs:
        robot.add_link(name, body, joint=joint, parent=parent, at=at)
    return robot


STATES = ("zero", "tiny", "moderate", "huge")


def random_coordinates(rng, robot, kind):
    """Coordinates: zero, of order 1e-9, moderate, or huge (angles beyond pi, strains of order one).

    Rotation vectors stay below 1.8 pi, where the chart of spherical, free and planar joints is still regular.
    """
    q = []
    for link in robot.links:
        q.append(_joint_coordinates(rng, link.joint, kind))
        if isinstance(link.body, sp.Rod):
            angular = link.body.strain.components < 3
            x = rng.standard_normal(link.body.strain.size)
            if kind == "huge":
                q.append(np.where(angular, 4.0, 0.4) * x)
            else:
                q.append(np.where(angular, 0.7, 0.1) * x)
        elif link.body.size:  # larger ones would turn soft bodies inside out
            q.append(rng.uniform(-0.3, 0.3, link.body.size))
    scale = {"zero": 0.0, "tiny": 1e-9, "moderate": 1.0, "huge": 1.0}[kind]
    return scale * np.concatenate(q)


def _joint_coordinates(rng, joint, kind):
    x = rng.standard_normal(joint.dof)
    if kind != "huge" or joint.dof == 0:
        return 0.5 * x
    if isinstance(joint, (sp.Spherical, sp.Free)):
        x[:3] *= rng.uniform(1.0, 1.8) * np.pi / np.linalg.norm(x[:3])
        return x
    if isinstance(joint, sp.Planar):
        x[0] = rng.choice([-1.0, 1.0]) * rng.uniform(1.0, 1.8) * np.pi
        return x
    return 5.0 * x


class Case(NamedTuple):
    """A random robot in a random state."""

    robot: sp.Robot
    model: Model
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


def make_case(seed, **options):
    """Robot and state of a seed; the kind of state goes round with the seed."""
    rng = np.random.default_rng([2024, seed])
    robot = random_robot(rng, **options)
    model = robot.compile()
    q = random_coordinates(rng, robot, STATES[seed % len(STATES)])
    v, a = rng.standard_normal(model.n), rng.standard_normal(model.n)
    return Case(robot, model, q, v, a)


@cache
def case(seed):
    """The seed's case out of `ROBOTS`, remembered across test files: do not write into its arrays."""
    made = make_case(seed)
    for array in (made.q, made.v, made.a):
        array.setflags(write=False)
    return made


def rebuilt(robot, gravity=None, at=None, joint=None, station=None):
    """The same robot with another gravity, or with functions of a link giving ``at``, joint, and station on its parent.
    """
    other = sp.Robot(robot.name, gravity=robot.gravity if gravity is None else gravity)
    for link in robot.links:
        s = link.station if station is None else station(link)
        other.add_link(
            link.name,
            link.body,
            joint=link.joint if joint is None else joint(link),
            parent=link.parent if s == 1.0 else (link.parent, s),
            at=link.at if at is None else at(link),
        )
    return other
