"""Calls that together use every kernel, each once, on robots as small as can be: types are the same for all robots."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from supple.model.model import Model

#: Time simulated, s: a step or two.
GLIMPSE = 1e-6


class Exercise(NamedTuple):
    """Something that needs kernels: what it is called, and a call of it."""

    name: str
    call: Callable[[], Any]


def first_simulation() -> list[Exercise]:
    """What a first simulation of a robot with tendons uses, and a look at what came out."""
    model = arm()
    q = np.zeros(model.n)
    return [
        Exercise("tendons", lambda: _addressed("loads.lines.routed")),
        Exercise("equations of motion", lambda: model.residual_tangent(q, q, q, cv=1.0, ca=1.0)),
        Exercise("statics", lambda: model.statics()),
        Exercise("simulation", lambda: simulate(model)),
        Exercise("accelerations", lambda: model.forward_dynamics(q, q)),
        Exercise("poses", lambda: (model.points(q), model.pose(q, "arm"), model.energy(q, q))),
    ]


def everything() -> list[Exercise]:
    """What any robot uses: all kinds of loads, loops, all methods of integration, all functions of a model."""
    from supple.model.chart_changes import tangent_rates
    from supple.solvers.integrators import BDF2, NDF, RK45, Radau

    model = arm()
    q, at = np.zeros(model.n), np.zeros(6)
    calls: dict[str, Callable[[], Any]] = {
        "inverse dynamics": lambda: model.inverse_dynamics(q, q, q),
        "derivatives of inverse dynamics": lambda: model.inverse_dynamics_derivatives(q, q, q),
        "residual": lambda: model.residual(q, q, q),
        "derivatives of the residual": lambda: model.residual_derivatives(q, q, q),
        "mass matrix": lambda: model.mass_matrix(q),
        "products of the tangent": lambda: model.tangent_product(q, q, q, q),
        "internal forces": lambda: (model.internal_force(q, q), model.internal_force_derivatives(q, q)),
        "actuation": lambda: (model.actuation(q), model.lines(q), model.line_biases(q, q)),
        "derivatives of forward dynamics": lambda: model.forward_dynamics_derivatives(q, q),
        "linear systems": lambda: (_rigid().forward_dynamics_derivatives(q[:2], q[:2]), ring().linearize(np.zeros(6))),
        "products with the inverse mass matrix": lambda: model.solve_mass(q, q),
        "dense mass matrices": _in_doubt,
        "one step": lambda: [ring().step_derivatives(at, at, None, GLIMPSE, one) for one in (None, RK45(), Radau())],
        "joints that follow others": _coupled,
        "factors over the tree": partial(_addressed, "core.tree_tangent", "core.tree_solve", "core.tree_rates"),
        "large matrices": partial(_addressed, "solvers.stage.large_matrix"),
        "loops": lambda: ring().loop_rate(np.zeros(6), np.zeros(6)),
        "joints' exponentials": lambda: (ring().rewrap(np.full(6, 4.0), np.zeros(6)), tangent_rates(at, at)),
        "contact of rods": partial(_addressed, "core.dormant", "core.dormant_folding"),
        "read-outs": _read_outs,
        "programs of soft bodies": _program,
        "gradients by parameters": partial(_addressed, "core.parameter_gradient"),
        "loops in gradients": partial(_addressed, "core.loop_gradients", "constraints.loop"),
        "stations in gradients": partial(_addressed, "core.station_gradient"),
        "gradients of designs": lambda: designed().statics().vjp(pose={("arm", 0.5): np.ones(6)}),
        "statics in need": _in_vain,
        "NDF": lambda: simulate(ring(), NDF()),
        "methods of fixed step": lambda: simulate(ring(), BDF2(dt=GLIMPSE)),
        "Radau": lambda: simulate(ring(), Radau()),
        "explicit methods": lambda: simulate(ring(), RK45()),
        "derivatives of motions": _derivatives_of_motions,
        "gradients of motions of large robots": partial(_addressed, "core.jacobian_products"),
    }
    loads = (Exercise(name, partial(_addressed, name)) for name in sorted(_load_modules()))
    return [*first_simulation(), *(Exercise(*pair) for pair in calls.items()), *loads]


def arm() -> Model:
    """A soft arm with a tendon."""
    from supple.bases import Legendre
    from supple.loads import Tendon
    from supple.robot.bodies import Rod
    from supple.robot.robot import Robot
    from supple.sections import Circle, Material

    silicone = Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e4)
    robot = Robot("arm", gravity=(0.0, 0.0, -9.81))
    robot.add_link("arm", Rod(0.5, Circle(0.02), silicone, Legendre(bend_y=1, bend_z=1)))
    robot.add(Tendon("tendon", {"arm": lambda X: (0.0, 0.01)}))
    return robot.compile()


def _rigid() -> Model:
    """Two bars on hinges, of which one is driven."""
    from supple.joints import Revolute
    from supple.loads import JointDrive
    from supple.robot.bodies import Rigid
    from supple.robot.robot import Robot

    robot, bar = Robot("hinges"), Rigid.box((0.2, 0.02, 0.02), density=1000.0)
    robot.add_link("a", bar, Revolute("y"))
    robot.add_link("b", bar, Revolute("y"), parent="a")
    robot.add(JointDrive("motor", "a"))
    return robot.compile()


def _coupled() -> None:
    """Two joints, one of which follows the other."""
    from supple.joints import Revolute
    from supple.robot.bodies import Rigid
    from supple.robot.robot import Robot

    robot, bar = Robot("coupled"), Rigid.box((0.2, 0.02, 0.02), density=1000.0)
    robot.add_link("a", bar, Revolute("y"))
    robot.add_link("b", bar, Revolute("y"), parent="a")
    robot.couple("b", to="a", function=lambda a: a * a)
    model, q = robot.compile(), np.zeros(1)
    model.residual_derivatives(q, q, q)
    model.expand(q)  # type: ignore[attr-defined]  # the model of a robot with couplings
    functions = model.workspace.functions
    assert all((functions.residual, functions.input_columns, functions.input_power, functions.parameters))
    assert functions.tree_tangent
    functions.rows_at(model.workspace.tree, model.workspace.own()[1], q, q, q, np.zeros((3, 0)), np.zeros((5, 0, 1)))


def designed() -> Model:
    """A soft arm that depends on a parameter."""
    from supple.bases import Legendre
    from supple.gradients.design import Design
    from supple.robot.bodies import Rod
    from supple.robot.robot import Robot
    from supple.sections import Circle, Material

    def build(young: float) -> Robot:
        silicone = Material(young=young, poisson=0.5, density=1000.0)
        robot = Robot("arm", gravity=(0.0, 0.0, -9.81))
        robot.add_link("arm", Rod(0.5, Circle(0.02), silicone, Legendre(bend_y=1)))
        return robot

    return Design(build, young=1e6).model()


@cache
def ring() -> Model:
    """Two bodies on spherical joints that close a triangle with the world."""
    from supple.joints import Spherical
    from supple.lie.pose import pose
    from supple.loads import Loop
    from supple.robot.bodies import Rigid
    from supple.robot.robot import Robot

    robot, turned = Robot("ring", gravity=(0.0, 0.0, -9.81)), pose(rpy=(0.0, 0.0, 2.0 * np.pi / 3.0))
    body = Rigid(mass=1.0, inertia=np.eye(3), tip=pose(xyz=(0.5, 0.0, 0.0)))
    robot.add_link("first", body, joint=Spherical())
    robot.add_link("second", body, joint=Spherical(), parent="first", at=turned)
    end = pose(xyz=(0.5, 0.0, 0.0)) @ turned @ pose(xyz=(0.5, 0.0, 0.0))
    robot.add(Loop("closed", a=("second", pose()), b=("world", end), joint=Spherical()))
    return robot.compile()


def falling() -> Model:
    """A body that nothing holds: statics tries everything that it can."""
    from supple.joints import Prismatic
    from supple.robot.bodies import Rigid
    from supple.robot.robot import Robot

    robot = Robot("falling", gravity=(0.0, 0.0, -9.81))
    robot.add_link("body", Rigid(mass=1.0, inertia=np.eye(3)), joint=Prismatic("z"))
    return robot.compile()


def _derivatives_of_motions() -> None:
    """Differentiate a motion, forward and backward, of a robot with inputs and of one with charts."""
    from supple.solvers.integrators import BDF2, NDF, RK45, Radau

    motion = arm().simulate(GLIMPSE, method=BDF2(dt=GLIMPSE), record=True)
    motion.vjp(q=motion.q)
    motion.jvp(q0=motion.q[0])
    for method in (BDF2(dt=GLIMPSE), NDF(), RK45(), Radau()):  # one of each family: each plans by a kernel of its own
        motion = ring().simulate(GLIMPSE, method=method, record=True)
        motion.vjp(q=motion.q)


def _in_vain() -> None:
    """Look for an equilibrium that is not there."""
    from supple.errors import SuppleError

    with warnings.catch_warnings(), suppress(SuppleError):
        warnings.simplefilter("ignore")
        falling().statics()


def _in_doubt() -> None:
    """Accelerations of two joints that turn the same body about the same axis: the dense matrix is asked."""
    from supple.errors import SingularError
    from supple.joints import Revolute
    from supple.robot.bodies import Rigid
    from supple.robot.robot import Robot

    robot = Robot("shaft")
    robot.add_link("sleeve", Rigid(mass=0.0, inertia=np.zeros((3, 3))), joint=Revolute("x"))
    robot.add_link("shaft", Rigid(mass=1.0, inertia=np.eye(3)), joint=Revolute("x"), parent="sleeve")
    with suppress(SingularError):
        robot.compile().solve_mass(np.zeros(2), np.ones(2))


def simulate(model: Model, method: Any = None) -> None:
    """A step or two, inputs driven by laws, with an event between steps."""
    from supple.laws import Sine
    from supple.solvers.motion.events import Event

    halfway = Event(lambda t, q, v: t - 0.5 * GLIMPSE, action="note")
    u = [Sine(0.0, 1.0) for _ in model.input_names] or None
    model.simulate(np.linspace(0.0, GLIMPSE, 3), u=u, method=method, events=[halfway], progress=False)


def _read_outs() -> None:
    """Columns of any points, contacts pair by pair."""
    importlib.import_module("supple.readouts.kernels")
    _addressed("readouts.kernels")


def _program() -> None:
    """Run a program of kinematics from Python."""
    from supple.fields.evaluation import evaluate_jets
    from supple.tracing.plan import make_plan
    from supple.tracing.program import trace

    outputs = trace(lambda x, q: x * q[0], 1, 3, (3,), "exercise")
    evaluate_jets(make_plan(outputs, np.ones((1, 3)), 1), np.zeros(1), np.zeros(1), np.zeros(1))


def _load_modules() -> Iterator[str]:
    """Modules of loads, of maps of joints and of soft bodies, as they are called within the package."""
    import supple.fields
    import supple.loads
    import supple.maps

    for room in (supple.loads, supple.maps, supple.fields):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            importlib.import_module(module.name)
            yield module.name.removeprefix("supple.")


def _addressed(*modules: str) -> None:
    """Compile the kernels of modules that are called by address."""
    from supple.jit import ADDRESSED

    named = [f"supple.{module}" for module in modules]
    for kernel in [kernel for kernel in ADDRESSED if kernel.function.__module__ in named]:
        assert kernel.address
