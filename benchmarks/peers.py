"""``python -m benchmarks.peers [programs]``: one motion by several programs, error against time.

A rubber rod of 1 m, 1 cm thick, hinged at one end, falls from the horizontal for one second.  The reference is an
independent planar solution (tests/data/flexible_pendulum.npz, error 2e-5 m, rods that bend and do not stretch).  Every
program runs as its documentation shows, at several resolutions; times are of the integration alone, after a first run
that compiles, best of two.  Needs, each if it is to be compared: ``pip install mujoco exudyn pyelastica soromox``; who
is not installed is omitted, and named.

MuJoCo twice: a chain of rigid links with springs, and its own rods (a discrete elastic rod of point masses since 4.0,
the cable before).  Its rods put as much mass at their ends as elsewhere: the tip is given half.  SoRoMoX has the same
strain functions as supple, integrated by Diffrax.  exudyn's elements get a hundred times the axial stiffness.
PyElastica's rod stretches and shears, too, so that a part of its difference is no error of its method.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

import supple as sp
from benchmarks import RESULTS
from supple.bench.tables import Column, Table, machine, markdown, write_json

YOUNG, DENSITY, DIAMETER, GRAVITY, T_END = 5e6, 1100.0, 1e-2, 9.80665, 1.0
AREA, SECOND = np.pi * DIAMETER**2 / 4.0, np.pi * DIAMETER**4 / 64.0
DATA = Path(__file__).parent.parent / "tests" / "data" / "flexible_pendulum.npz"


class Run(NamedTuple):
    """One run: times (T,), tip (T, 2) in m, seconds of integration."""

    program: str
    resolution: str
    t: np.ndarray
    tip: np.ndarray
    seconds: float


def timed(call: Callable[[], object]) -> float:
    begin = perf_counter()
    call()
    return perf_counter() - begin


def with_supple() -> Iterator[Run]:
    rotary = DENSITY * SECOND
    section = sp.Section.from_stiffness(
        EA=1.0, EI_y=1.0, EI_z=YOUNG * SECOND, GJ=1.0, mass_per_length=DENSITY * AREA,
        rotary_inertia=(2.0 * rotary, rotary, rotary),
    )  # fmt: skip
    t = np.linspace(0.0, T_END, 101)
    for (modes, rtol), kind in product(((6, 1e-4), (10, 1e-5), (18, 1e-6)), (sp.NDF, sp.Radau)):
        robot = sp.Robot("pendulum", gravity=(0.0, -GRAVITY, 0.0))
        rod = sp.Rod(1.0, section, strain=sp.Legendre(bend_z=modes - 1), points=modes + 2)
        robot.add_link("rod", rod, joint=sp.Revolute("z"))
        model, method = robot.compile(), kind(rtol=rtol, atol=0.1 * rtol)
        motion = model.simulate(t, method=method)
        seconds = min(timed(lambda m=model, how=method: m.simulate(t, method=how)) for _ in range(2))
        yield Run("supple", f"{modes} functions, {kind.__name__}, rtol {rtol:g}", t, motion.tip("rod")[:, :2], seconds)


def with_mujoco() -> Iterator[Run]:
    import mujoco

    for n, dt in ((10, 1e-3), (20, 5e-4), (40, 2e-4)):
        model = mujoco.MjModel.from_xml_string(_chain(n))
        model.opt.timestep = dt
        yield _mujoco_run(model, "MuJoCo, a chain", f"{n} links, step {dt:g} s", lambda data: data.site_xpos[0])
    points = int(mujoco.__version__.partition(".")[0]) >= 4
    for n, dt in ((10, 1e-3), (20, 5e-4), (40, 2e-4)):
        model = mujoco.MjModel.from_xml_string((_rod if points else _cable)(n, dt))
        if points:
            tip = model.flex_vertbodyid[-1]
            model.body_mass[tip] /= 2.0
            model.body_inertia[tip] /= 2.0
            mujoco.mj_setConst(model, mujoco.MjData(model))
        place = (lambda data: data.flexvert_xpos[-1]) if points else (lambda data: data.site_xpos[-1])
        name = "MuJoCo, its rod" if points else "MuJoCo, its cable"
        yield _mujoco_run(model, name, f"{n} edges, step {dt:g} s", place)


def _mujoco_run(model, program: str, resolution: str, tip: Callable) -> Run:
    import mujoco

    best, dt = np.inf, model.opt.timestep
    for _ in range(2):
        data, found, seconds = mujoco.MjData(model), [], 0.0
        for _ in range(round(T_END / dt)):
            seconds += timed(lambda d=data: mujoco.mj_step(model, d))
            found.append((data.time - dt, *tip(data)[:2]))  # positions are those before the step
        best = min(best, seconds)
    out = np.array(found)
    return Run(program, resolution, out[:, 0], out[:, 1:], best)


def _rod(n: int, dt: float) -> str:
    """MuJoCo's rod of point masses, pinned at its first; edges keep their lengths as stiffly as the step admits."""
    l, mass = 1.0 / n, DENSITY * AREA * (n + 1) / n
    return f"""<mujoco>
      <option gravity="0 {-GRAVITY!r} 0" timestep="{dt!r}" integrator="discrete"/>
      <worldbody>
        <flexcomp name="rod" type="grid" count="{n + 1} 1 1" spacing="{l!r} {l!r} {l!r}" pos="0.5 0 0" dim="1"
                  radius="{0.5 * DIAMETER!r}" mass="{mass!r}">
          <edge equality="true" solref="{2.0 * dt!r} 1"/>
          <elasticity young="{YOUNG!r}" poisson="0.4999" damping="0"/>
          <contact selfcollide="none" contype="0" conaffinity="0"/>
          <pin id="0"/>
        </flexcomp>
      </worldbody>
    </mujoco>"""


def _cable(n: int, dt: float) -> str:
    """The cable that MuJoCo had before 4.0: rigid pieces on ball joints with stiffness."""
    return f"""<mujoco>
      <extension><plugin plugin="mujoco.elasticity.cable"/></extension>
      <option gravity="0 {-GRAVITY!r} 0" timestep="{dt!r}" integrator="implicitfast"/>
      <worldbody>
        <composite prefix="c" type="cable" curve="s" count="{n + 1} 1 1" size="1 1 1" offset="0 0 0" initial="ball">
          <plugin plugin="mujoco.elasticity.cable">
            <config key="twist" value="{YOUNG / 3.0!r}"/><config key="bend" value="{YOUNG!r}"/>
            <config key="vmax" value="0"/>
          </plugin>
          <joint kind="main" damping="0"/>
          <geom type="cylinder" size="{0.5 * DIAMETER!r}" density="{DENSITY!r}" contype="0" conaffinity="0"/>
        </composite>
      </worldbody>
    </mujoco>"""


def _chain(n: int) -> str:
    """Hinged links with springs between them, as an MJCF file."""
    l = 1.0 / n
    mass, rotary = DENSITY * AREA * l, DENSITY * SECOND * l
    across = mass * l**2 / 12.0 + rotary
    inner = f'<site pos="{l!r} 0 0"/>'
    for k in reversed(range(n)):
        spring = f' stiffness="{YOUNG * SECOND / l!r}"' if k else ""
        inner = (
            f'<body pos="{l if k else 0.0!r} 0 0"><joint axis="0 0 1"{spring}/><inertial pos="{0.5 * l!r} 0 0" '
            f'mass="{mass!r}" diaginertia="{2.0 * rotary!r} {across!r} {across!r}"/>{inner}</body>'
        )
    option = f'<compiler angle="radian"/><option gravity="0 {-GRAVITY!r} 0" integrator="implicit"/>'
    return f"<mujoco>{option}<worldbody>{inner}</worldbody></mujoco>"


def with_exudyn() -> Iterator[Run]:
    import exudyn as exu
    from exudyn.beams import GenerateStraightLineANCFCable2D
    from exudyn.itemInterface import Cable2D, SensorNode

    for n, steps in ((8, 1000), (16, 2000), (32, 4000)):
        container = exu.SystemContainer()
        system = container.AddSystem()
        cable = Cable2D(
            physicsMassPerLength=DENSITY * AREA,
            physicsBendingStiffness=YOUNG * SECOND,
            physicsAxialStiffness=100.0 * YOUNG * AREA,
        )
        made = GenerateStraightLineANCFCable2D(
            mbs=system, positionOfNode0=[0, 0, 0], positionOfNode1=[1, 0, 0], numberOfElements=n, cableTemplate=cable,
            massProportionalLoad=[0, -GRAVITY, 0], fixedConstraintsNode0=[1, 1, 0, 0],
        )  # fmt: skip
        position = exu.OutputVariableType.Position
        sensor = system.AddSensor(SensorNode(nodeNumber=made[0][-1], storeInternal=True, outputVariableType=position))
        system.Assemble()
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = steps, T_END
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.timeIntegration.verboseMode = 0
        settings.solutionSettings.writeSolutionToFile = False
        seconds = timed(lambda s=system, how=settings: s.SolveDynamic(how))
        out = np.array(system.GetSensorStoredData(sensor))
        yield Run("exudyn", f"{n} elements, step {T_END / steps:g} s", out[:, 0], out[:, 1:3], seconds)


def with_pyelastica() -> Iterator[Run]:
    import elastica as ea

    class Simulator(ea.BaseSystemCollection, ea.Constraints, ea.Forcing, ea.CallBacks):  # type: ignore[misc]
        """What a simulation is made of."""

    class Tip(ea.CallBackBaseClass):  # type: ignore[misc]
        """Notes the tip."""

        def __init__(self, step_skip, found):
            super().__init__()
            self.every, self.found = step_skip, found

        def make_callback(self, system, time, current_step):
            if current_step % self.every == 0:
                self.found.append((time, *system.position_collection[:2, -1]))

    for n in (4, 50):  # the first, short one compiles
        steps, found, simulator = (200 * n if n > 4 else 100), [], Simulator()
        end = T_END if n > 4 else 1e-3
        rod = ea.CosseratRod.straight_rod(
            n, np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), 1.0, 0.5 * DIAMETER, DENSITY,
            youngs_modulus=YOUNG, shear_modulus=YOUNG / 3.0,
        )  # fmt: skip
        simulator.append(rod)
        simulator.constrain(rod).using(
            ea.GeneralConstraint, constrained_position_idx=(0,), constrained_director_idx=(0,),
            translational_constraint_selector=np.array([True] * 3),
            rotational_constraint_selector=np.array([False] * 3),
        )  # fmt: skip
        simulator.add_forcing_to(rod).using(ea.GravityForces, acc_gravity=np.array([0.0, -GRAVITY, 0.0]))
        simulator.collect_diagnostics(rod).using(Tip, step_skip=max(1, steps // 100), found=found)
        simulator.finalize()
        seconds = timed(lambda s=simulator, e=end, k=steps: ea.integrate(ea.PositionVerlet(), s, e, k))
        out = np.array(found)
        if n > 4:
            yield Run("PyElastica", f"{n} elements, step {T_END / steps:g} s", out[:, 0], out[:, 1:], seconds)


def with_soromox() -> Iterator[Run]:
    import diffrax
    import jax
    import jax.numpy as jnp
    from soromox.systems.components import JointSpec, LinkSpec
    from soromox.systems.gvs import GVS, GVSSegment, StrainBasisSpec
    from soromox.systems.system_state import SystemState

    jax.config.update("jax_enable_x64", True)
    link = LinkSpec.circular(
        length=1.0, radius=0.5 * DIAMETER, density=DENSITY, reference_strain=[0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        young_modulus=YOUNG, shear_modulus=YOUNG / 3.0,
    )  # fmt: skip
    t = jnp.linspace(0.0, T_END, 101)
    solvers = (diffrax.Tsit5, diffrax.Kvaerno5)
    for (modes, rtol), kind in product(((6, 1e-4), (10, 1e-5)), solvers):
        strain = StrainBasisSpec("legendre", ("kappa_z",), modes - 1)
        segment = GVSSegment(link, JointSpec.revolute("z"), strain, modes + 2)
        upright = jnp.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        robot = GVS.from_segments([segment], gravity=jnp.array([0.0, -GRAVITY, 0.0]), base_pose=upright)
        how = {
            "solver": kind(),
            "stepsize_controller": diffrax.PIDController(rtol=rtol, atol=0.1 * rtol),
            "max_steps": 1_000_000,
        }

        @jax.jit
        def states(y, robot=robot, how=how):
            start = SystemState(t=jnp.array(0.0), y=y)
            return robot.rollout_to(start, t1=T_END, solver_dt=1e-4, save_ts=t, **how).y

        y = jnp.zeros(2 * (modes + 1))
        q = states(y).block_until_ready()[:, : modes + 1]
        seconds = min(timed(lambda f=states, y=y: f(y).block_until_ready()) for _ in range(2))
        poses = np.asarray(jax.vmap(lambda q, robot=robot: robot.forward_kinematics(q, jnp.array(1.0)))(q))
        resolution = f"{modes} functions, {kind.__name__}, rtol {rtol:g}"
        yield Run("SoRoMoX", resolution, np.asarray(t), _places(poses), seconds)


def _places(poses: np.ndarray) -> np.ndarray:
    """x and y of poses, matrices or (quaternion, place)."""
    return poses[:, :2, 3] if poses.ndim == 3 else poses[:, 4:6]


PROGRAMS = {
    "supple": with_supple,
    "mujoco": with_mujoco,
    "exudyn": with_exudyn,
    "elastica": with_pyelastica,
    "soromox": with_soromox,
}


def error_of(run: Run) -> float:
    """Largest distance of the tip from the reference, m."""
    with np.load(DATA) as data:
        expected = np.column_stack([np.interp(run.t, data["t"], data[key][:, 1]) for key in "xy"])
    return float(np.linalg.norm(run.tip - expected, axis=1).max())


def run(_: float = 0.0, programs: Sequence[str] = tuple(PROGRAMS)) -> list[Table]:
    """The table of all these programs that are installed."""
    columns = (
        Column("program", "program"),
        Column("resolution", "resolution"),
        Column("error", "largest error of the tip, m", "error"),
        Column("seconds", "time, s", "significant"),
    )
    table = Table("A falling rubber rod, one second, by several programs", columns)
    missing = []
    for name in programs:
        measure = PROGRAMS[name]
        if find_spec(name) is None:
            missing.append(name)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for one in measure():
                print(f"{one.program:12} {one.resolution:32} {error_of(one):.1e} m {one.seconds:8.3f} s", flush=True)
                table.add(
                    program=one.program, resolution=one.resolution, error=error_of(one), seconds=one.seconds
                )
    if missing:
        table.note = f"Not installed: {', '.join(missing)}."
    return [table]


def main() -> int:
    unknown = [name for name in sys.argv[1:] if name not in PROGRAMS]
    if unknown:
        print(f"unknown program {unknown[0]!r}; choose from {', '.join(PROGRAMS)}", file=sys.stderr)
        return 2
    tables = run(programs=sys.argv[1:] or tuple(PROGRAMS))
    print(machine()["processor"])
    print(markdown(tables[0]))
    write_json(RESULTS / "peers.json", "peers", tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())
