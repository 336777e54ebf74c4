"""The gradient of a rollout by Young's modulus and tensions, beside SoRoMoX, where that is installed.

    python -m pip install soromox
    python -m benchmarks.gradients_soromox

Both have the same rod (quadratic bending both ways, five Gauss points, two tendons), the same start and the same
quadratic loss of the tip; accelerations, end and gradient are compared before anything is timed.  Ours is the adjoint
of an implicit run; theirs JAX's reverse mode through SoRoMoX' own rollout (Diffrax, Tsit5, a fixed step that agrees
with ours; longer steps and other solvers were not tried).  Compiling is told apart: once per robot for theirs, once per
machine for ours.
"""

from __future__ import annotations

from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np

import supple as sp
from supple.bench.tables import Column, Table, markdown

LENGTH, RADIUS, YOUNG, POISSON, DENSITY, VISCOSITY = 0.5, 0.02, 1e6, 0.45, 1000.0, 1e4
ORDER, POINTS, OFFSET = 2, 5, 0.01
TENSIONS = np.array([1.0, 2.0])
#: How long it is simulated [s]: short, since gradients through explicit runs of ten times that take theirs long.
SPAN = 0.05
#: Step of their explicit run [s], twice what is their default; how far it could be lengthened was not tried.
STEP = 2e-4
#: Part of the gradient's size by which both may differ: SoRoMoX' quadrature is right to 1e-7.
AGREEMENT = 1e-4
#: Relative tolerance of our run, with which its end is right to 1e-6.
TOLERANCE = 1e-6


def arm(young: float = YOUNG) -> sp.Robot:
    """A rod with two tendons."""
    robot = sp.Robot("arm", gravity=(0.0, 0.0, -9.81))
    material = sp.Material(young, poisson=POISSON, density=DENSITY, viscosity=VISCOSITY)
    strain = sp.Legendre(bend_y=ORDER, bend_z=ORDER)
    robot.add_link("arm", sp.Rod(LENGTH, sp.Circle(RADIUS), material, strain, points=POINTS))
    robot.add(sp.Tendon("left", {"arm": lambda X: (OFFSET, 0.0)}))
    robot.add(sp.Tendon("up", {"arm": lambda X: (0.0, OFFSET)}))
    return robot


class Ours:
    """Recorded simulation and vjp."""

    def __init__(self) -> None:
        self.design = sp.Design(arm, young=YOUNG)
        self.model = self.design.model()
        self.t = np.array([0.0, SPAN])

    def run(self, record: bool = False) -> Any:
        """The motion."""
        return self.model.simulate(self.t, u=TENSIONS, method=sp.NDF(rtol=TOLERANCE, atol=1e-9), record=record)

    def tip(self) -> np.ndarray:
        """Where it ends."""
        return np.asarray(self.run().tip("arm")[-1])

    def gradient(self) -> np.ndarray:
        """Of |tip|^2 at the end by E and both tensions."""
        motion = self.run(record=True)
        bar = np.zeros((2, 3))
        bar[-1] = 2.0 * motion.tip("arm")[-1]
        found = motion.vjp(tip={"arm": bar})
        return np.array([found.p["young"], *found.u])


class Theirs:
    """JAX through SoRoMoX and Diffrax."""

    def __init__(self) -> None:
        import jax
        import jax.numpy as jnp
        from soromox.actuation.threadlike import ThreadlikeActuator, ThreadlikeRouting
        from soromox.systems import (
            GVS,
            GVSSegment,
            IsotropicMaterialParams,
            JointSpec,
            LinkSpec,
            StrainBasisSpec,
            SystemState,
        )

        jax.config.update("jax_enable_x64", True)
        link = LinkSpec.circular(
            length=LENGTH,
            radius=RADIUS,
            density=DENSITY,
            reference_strain=[0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            young_modulus=YOUNG,
            poisson_ratio=POISSON,
            material_damping_coefficient=VISCOSITY,
        )
        basis = StrainBasisSpec("legendre", ("kappa_y", "kappa_z"), ORDER)
        routing = ThreadlikeRouting.linear(intercept=jnp.array([[0.0, OFFSET, 0.0], [0.0, 0.0, OFFSET]]))
        self.robot = GVS.from_segments(
            [GVSSegment(link=link, joint=JointSpec.fixed(), basis=basis, num_gauss_points=POINTS)],
            gravity=jnp.array([0.0, 0.0, -9.81]),
            base_pose=jnp.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
            scale_rotational_basis_by_length=True,
            actuators=ThreadlikeActuator.tendons(routing),
        )
        start = SystemState(t=jnp.asarray(0.0), y=jnp.zeros(4 * (ORDER + 1)), u=jnp.asarray(TENSIONS))

        def tip(parameters: Any) -> Any:
            material = IsotropicMaterialParams(
                young_modulus=parameters[0],
                poisson_ratio=jnp.asarray(POISSON),
                material_damping_coefficient=jnp.asarray(VISCOSITY),
            )
            robot = self.robot.with_isotropic_material(material)
            ends = robot.rollout_to(
                start, u=parameters[1:], t1=SPAN, solver_dt=STEP, save_ts=jnp.array([SPAN]), max_steps=2**14
            )
            q = ends.y[-1, : 2 * (ORDER + 1)]
            return robot.forward_kinematics(q, jnp.asarray(LENGTH))[:3, 3]

        self.parameters = jnp.array([YOUNG, *TENSIONS])
        self._tip = jax.jit(tip)
        self._gradient = jax.jit(jax.grad(lambda p: jnp.sum(tip(p) ** 2)))

    def accelerations(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """At a state, under the tensions."""
        import jax.numpy as jnp

        rates = self.robot.forward_dynamics(0.0, jnp.concatenate([q, v]), (jnp.asarray(TENSIONS),))
        return np.asarray(rates)[len(q) :]

    def tip(self) -> np.ndarray:
        """Where the run ends."""
        return np.asarray(self._tip(self.parameters))

    def gradient(self) -> np.ndarray:
        """Of |tip|^2 at the end by E and both tensions."""
        return np.asarray(self._gradient(self.parameters))


def timed(call: Any, times: int) -> float:
    """The shortest of some calls [s]."""
    found = []
    for _ in range(times):
        begin = perf_counter()
        call()
        found.append(perf_counter() - begin)
    return min(found)


def run(times: int = 3) -> list[Table]:
    """Rollout and gradient of both; nothing, with a word, where SoRoMoX is not installed."""
    if find_spec("soromox") is None:
        print("SoRoMoX is not installed (pip install soromox): nothing to compare with")
        return []
    ours, theirs = Ours(), Theirs()
    rng = np.random.default_rng(0)
    q, v = 0.3 * rng.standard_normal((2, ours.model.n))
    a = ours.model.forward_dynamics(q, v, TENSIONS).a
    assert np.abs(theirs.accelerations(q, v) - a).max() < AGREEMENT * np.abs(a).max()
    table = Table(
        "Gradient of 50 ms of a rod by Young's modulus and two tensions, beside SoRoMoX",
        (
            Column("what", "what"),
            Column("supple", "supple, ms", "milli"),
            Column("soromox", "SoRoMoX, ms", "milli"),
            Column("ratio", "ratio", "ratio"),
            Column("first", "SoRoMoX' first call, s", "significant"),
            Column("difference", "relative difference", "significant"),
        ),
        note="A first call compiles; ours are compiled once per machine, for all robots.",
    )
    for name in ("tip", "gradient"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        expected = mine()
        begin = perf_counter()
        found = other()
        first = perf_counter() - begin
        apart = float(np.abs((found - expected) / np.abs(expected).max(initial=1e-300)).max())
        if name == "gradient":  # by E and by tensions: of different units, one by one
            apart = float(np.abs(found / expected - 1.0).max())
        assert apart < AGREEMENT, f"{name}: {found} beside {expected}"
        times_of = timed(mine, times), timed(other, times)
        table.add(
            what={"tip": "rollout", "gradient": "rollout and gradient"}[name],
            supple=times_of[0],
            soromox=times_of[1],
            ratio=times_of[1] / times_of[0],
            first=first,
            difference=apart,
        )
    return [table]


if __name__ == "__main__":
    for found in run():
        print(markdown(found))
