"""The figures of `docs/choosing-a-basis.md`: how fast strain bases come near known solutions.

``python -m docs.scripts.basis_study`` computes all tables anew and writes them into the page (a few seconds).
References do not come from supple: the elastica is integrated here, arcs are arcs.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import supple as sp
from benchmarks.publish import fill
from docs.scripts import captioned
from supple.bench.tables import Column, Table

if TYPE_CHECKING:
    from supple.model.model import Model

PAGE = Path(__file__).parent.parent / "choosing-a-basis.md"

#: Load P L^2 / (E I) of the elastica: the tip turns by 64 degrees.
LOAD = 4.0
#: Moment times length over bending stiffness of the tendon that ends in the middle.
PULL = 2.0
#: Nodes that leave the error of the basis alone; per piece where there are pieces.
PLENTY = 60


def rod(strain: Any, points: int, magnus: int = 4, stiffness: Any = (1.0,) * 6, rest: Any = None) -> sp.Rod:
    """A rod of length one, by default with a bending stiffness of one; its mass does not matter."""
    section = sp.Section(np.asarray(stiffness), [1e-3, 1e-3, 1e-3, 1.0, 1.0, 1.0])
    return sp.Rod(1.0, section, strain=strain, points=points, magnus=magnus, rest_strain=rest)


def clamped(body: sp.Rod, *loads: Any) -> Model:
    """The rod clamped at its base under loads, without weight."""
    robot = sp.Robot("study", gravity=(0.0, 0.0, 0.0))
    robot.add_link("rod", body)
    for load in loads:
        robot.add(load)
    return robot.compile()


def tip(model: Model, u: Any = None) -> np.ndarray:
    """Where the tip rests, (3,) m."""
    found = model.statics(u)
    if not found.converged:
        raise RuntimeError(found.message)
    position: np.ndarray = model.pose(found.q, "rod")[:3, 3]
    return position


def sideways(s: float = 1.0) -> sp.PointWrench:
    """A dead force of `LOAD` along y."""
    return sp.PointWrench("rod", [0.0, 0.0, 0.0, 0.0, LOAD, 0.0], s=s)


# ---------------------------------------------------------------------- known solutions


@cache
def elastica(length: float = 1.0, load: float = LOAD) -> tuple[float, float, float]:
    """x, y and angle at the end of a clamped inextensible rod of stiffness one under a dead force along y.

    Angle'' = -load cos(angle), clamped at 0 and without moment at the end: shooting for the curvature at the base.
    """

    def shoot(curvature: float) -> np.ndarray:
        def rate(_: float, y: np.ndarray) -> list[float]:
            return [y[1], -load * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]

        start = [0.0, curvature, 0.0, 0.0]
        end: np.ndarray = solve_ivp(rate, (0.0, length), start, "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
        return end

    angle, _, x, y = shoot(brentq(lambda k: shoot(k)[1], 0.0, load * length, xtol=1e-14))
    return float(x), float(y), float(angle)


def half_elastica() -> np.ndarray:
    """Tip of a rod that carries the force in its middle: behind it the rod is straight."""
    x, y, angle = elastica(0.5)
    return np.array([x + 0.5 * np.cos(angle), y + 0.5 * np.sin(angle), 0.0])


def half_arc() -> np.ndarray:
    """Tip of a rod that a tendon bends to an arc up to its middle."""
    angle = 0.5 * PULL
    return np.array([np.sin(angle) / PULL + 0.5 * np.cos(angle), (1.0 - np.cos(angle)) / PULL + 0.5 * np.sin(angle), 0])


# ---------------------------------------------------------------------- tables


def error(model: Model, expected: Any, u: Any = None) -> float:
    """Distance of the tip from where it should be, as a part of the length."""
    return float(np.linalg.norm(tip(model, u) - expected))


def curvature_error(basis: Any, q: np.ndarray) -> float:
    """Root mean square error of the curvature of a rod that is bent up to its middle, relative to the exact one."""
    stations = (np.arange(400) + 0.5) / 400.0
    found = np.array([basis.values(s) @ q for s in stations])
    return float(np.sqrt(np.mean((found / PULL - (stations < 0.5)) ** 2)))


def orders() -> Table:
    """Order of Legendre functions, with as few nodes as allowed, with twice as many, and with plenty."""
    table = Table(
        "Order and nodes: a cantilever under a tip force, P L² / EI = 4",
        (
            Column("order", "order", "count"),
            Column("least", "order + 1 nodes", "error"),
            Column("double", "2 (order + 1) nodes", "error"),
            Column("plenty", f"{PLENTY} nodes", "error"),
        ),
        note="Distance of the tip from the exact elastica, in lengths of the rod.",
    )
    exact = (*elastica()[:2], 0.0)
    for order in (0, 1, 2, 3, 4, 6, 8):
        basis = sp.Legendre(bend_z=order)
        least, double, plenty = (
            error(clamped(rod(basis, points), sideways()), exact) for points in (order + 1, 2 * order + 2, PLENTY)
        )
        table.add(order=order, least=least, double=double, plenty=plenty)
    return table


def nodes() -> Table:
    """Number of Gauss nodes at one order."""
    table = Table(
        "Nodes and Magnus steps: the same rod, order 6",
        (
            Column("points", "points", "count"),
            Column("fourth", "magnus=4", "error"),
            Column("second", "magnus=2", "error"),
        ),
    )
    exact = (*elastica()[:2], 0.0)
    for points in (7, 10, 14, 20, 40):
        fourth, second = (
            error(clamped(rod(sp.Legendre(bend_z=6), points, magnus), sideways()), exact) for magnus in (4, 2)
        )
        table.add(points=points, fourth=fourth, second=second)
    return table


def families() -> Table:
    """Families where strains jump or have a kink in the middle."""
    table = Table(
        "Families: what happens in the middle of the rod",
        (
            Column("basis", "basis"),
            Column("size", "coordinates", "count"),
            Column("tendon", "tendon ends there: tip", "error"),
            Column("curvature", "curvature", "error"),
            Column("force", "force acts there: tip", "error"),
        ),
        note="Tip: distance from the exact solution, in lengths of the rod. Curvature: root mean square of its error, "
        "relative to the exact one before the jump. Plenty of nodes.",
    )
    tendon = sp.Tendon("pull", {"rod": lambda X: (0.1, 0.0)}, until={"rod": 0.5})
    step = sp.CustomBasis(bend_z=lambda s: [float(s < 0.5), s if s < 0.5 else 0.5, float(s >= 0.5)], pieces=(0.5,))
    bases = (
        *(sp.Legendre(bend_z=order) for order in (2, 4, 8, 16)),
        sp.Chebyshev(bend_z=8),
        *(sp.PiecewiseConstant(bend_z=count) for count in (2, 4, 8, 9)),
        *(sp.Hat(bend_z=count) for count in (2, 4, 8)),
        *(sp.Hermite(bend_z=count) for count in (2, 4)),
        sp.Gaussian(bend_z=8),
        sp.Fourier(bend_z=4),
        step,
    )
    for basis in bases:
        body = rod(basis, max(PLENTY // (len(basis.breaks) + 1), basis.min_points))
        pulled = clamped(body, tendon)
        table.add(
            basis=f"`{basis!r}`".replace("bend_z=<lambda>", "bend_z=step"),
            size=basis.size,
            tendon=error(pulled, half_arc(), [10.0 * PULL]),
            curvature=curvature_error(basis, pulled.statics([10.0 * PULL]).q),
            force=error(clamped(body, sideways(0.5)), half_elastica()),
        )
    return table


def conditions() -> Table:
    """Condition of the stiffness of one bending."""
    table = Table(
        "Condition of the stiffness matrix, uniform rod",
        (Column("size", "coordinates", "count"), *(Column(name, f"`{name}`", "error") for name in SMOOTH)),
        note="Its logarithm is the number of digits that a solution with this matrix may lose.",
    )
    for size in (3, 5, 9, 13):
        values = {}
        for name in SMOOTH:
            count = (size - 1) // 2 if name == "Fourier" else size - 1
            basis = getattr(sp, name)(bend_z=count)
            values[name] = float(np.linalg.cond(clamped(rod(basis, 40)).stiffness))
        table.add(size=size, **values)
    return table


#: Families over the whole rod.
SMOOTH = ("Legendre", "Chebyshev", "Monomial", "Fourier", "Gaussian")

#: Which strains are free, in words and as orders.
FREED: dict[str, dict[str, int]] = {
    "bending in one plane": {"bend_z": 4},
    "bending": {"bend_y": 4, "bend_z": 4},
    "bending and torsion (Kirchhoff, inextensible)": {"torsion": 4, "bend_y": 4, "bend_z": 4},
    "and stretch": {"torsion": 4, "bend_y": 4, "bend_z": 4, "stretch": 2},
    "and shear": {"torsion": 4, "bend_y": 4, "bend_z": 4, "stretch": 2, "shear_y": 2, "shear_z": 2},
}


def strains() -> Table:
    """What each freed strain brings and costs: a curved rod loaded out of its plane, and its frequencies."""
    table = Table(
        "Which strains to free: a quarter circle of a slender rod, loaded out of its plane",
        (
            Column("free", "free"),
            Column("size", "coordinates", "count"),
            Column("sag", "tip moves, mm", "seconds"),
            Column("highest", "highest frequency, Hz", "count"),
        ),
        note="Silicone of 1 MPa and 0.5 m, radius 5 mm, a tip force of 5 mN.",
    )
    silicone = sp.Material(young=1e6, poisson=0.5, density=1000.0)
    quarter = (0.0, 0.0, np.pi, 1.0, 0.0, 0.0)  # curvature of a quarter circle of 0.5 m
    for free, given in FREED.items():
        strain = sp.Legendre(**given)
        body = sp.Rod(0.5, sp.Circle(0.005), silicone, strain, points=12, rest_strain=quarter)
        model = clamped(body, sp.PointWrench("rod", [0.0, 0.0, 0.0, 0.0, 0.0, 5e-3]))
        found = model.statics()
        moved = model.pose(found.q, "rod")[:3, 3] - model.pose(model.rest, "rod")[:3, 3]
        fastest = model.modes(found).frequencies[-1]
        table.add(free=free, size=model.n, sag=1e3 * float(np.linalg.norm(moved)), highest=round(float(fastest)))
    return table


def beam_frequencies(count: int) -> np.ndarray:
    """The first natural frequencies (count,) of a clamped beam, over sqrt(EI / (m L^4)): cos x cosh x = -1, x^2."""
    brackets = [((k - 1) * np.pi + 1.0, k * np.pi) for k in range(1, count + 1)]
    return np.array([brentq(lambda x: np.cos(x) + 1.0 / np.cosh(x), a, b) for a, b in brackets]) ** 2


def frequencies() -> Table:
    """How many natural frequencies of a slender rod a basis gets right."""
    modes = range(1, 6)
    table = Table(
        "Natural frequencies of a slender clamped rod, relative error",
        (Column("order", "order", "count"), *(Column(f"{k}", f"mode {k}", "error") for k in modes)),
        note="Against a beam without rotary inertia, which is itself off by 1e-5 to 1e-3 here.",
    )
    radius, exact = 0.005, beam_frequencies(len(modes))
    scale = np.sqrt(1e7 * radius**2 / 4.0 / 1000.0) / (2.0 * np.pi)
    for order in (1, 2, 3, 4, 6, 8):
        rubber = sp.Material(young=1e7, density=1000.0)
        body = sp.Rod(1.0, sp.Circle(radius), rubber, sp.Legendre(bend_z=order), points=20)
        found = clamped(body).modes().frequencies[: len(modes)] / scale
        errors = np.abs(found / exact[: len(found)] - 1.0)
        table.add(order=order, **{f"{k}": float(error) for k, error in enumerate(errors, start=1)})
    return table


def main() -> None:
    """Compute all tables and write them into the page."""
    for make in (strains, orders, nodes, families, frequencies, conditions):
        fill(PAGE, make.__name__, captioned(make()))


if __name__ == "__main__":
    main()
