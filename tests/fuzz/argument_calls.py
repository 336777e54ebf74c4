"""Every public name of supple with good arguments, and what is done with what it returns."""

from __future__ import annotations

import inspect
import math
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import supple as sp
from supple.model.model import Model

from .argument_uses import (
    STEPS,
    base,
    closed,
    designed,
    exercise,
    load,
    motion,
    path,
    plain,
    recorded,
    rich,
    slim,
    state,
    trajectory,
)
from .call import Call
from .description_calls import description_calls
from .soft_body_calls import soft_body_calls

# ---------------------------------------------------------------------- robots and models


def _robots() -> list[Call]:
    link = {
        "name": "new",
        "body": sp.Rigid.sphere(0.1, density=1e3),
        "joint": sp.Revolute(),
        "parent": "arm",
        "at": sp.pose(),
    }

    def add_link(**given: Any) -> Any:
        robot = base()
        robot.add_link(**given)
        return exercise(robot.compile())

    def add(item: Any) -> Any:
        return load(item)

    def add_discs(**given: Any) -> Any:
        robot = base()
        robot.add_discs(**given)
        return exercise(robot.compile())

    def couple(**given: Any) -> Any:
        robot = base(sp.Revolute("z"))
        robot.couple(**given)
        return exercise(robot.compile())

    def follow(coupling: Any) -> Any:
        robot = base(sp.Revolute("z"))
        robot.follow(coupling)
        return exercise(robot.compile())

    coupled = base(sp.Revolute("z"))
    coupled.couple("hand", to="arm.rotation")
    discs = {"rod": "arm", "n": 2, "at": None, "radius": 0.03, "thickness": 0.005}

    return [
        Call("Robot", sp.Robot, {"name": "r", "gravity": np.array([0.0, 0.0, -9.81])}, repr),
        Call("Robot.add_link", add_link, {**link, "at": sp.pose()}),
        Call("Robot.add_discs", add_discs, {**discs, "density": 500.0, "mass": None, "name": "disc"}),
        Call("Robot.add", add, {"item": sp.PointWrench("arm", np.zeros(6))}),
        Call("Robot.compile", base().compile, {}, exercise),
        Call("Robot.couple", couple, {"follower": "hand", "to": "arm.rotation", "ratio": 2.0, "offset": 0.1}),
        Call("Robot.follow", follow, {"coupling": coupled.couplings[0]}),
        Call("Robot.copy", base().copy, {}, lambda made: exercise(made.compile())),
        Call("Robot.plot", base().plot, {"q": np.zeros(3), "ax": None, "frames": False}, closed, slow=True),
    ]


#: Good values of the parameters of functions of a model, by name.
def _known(model: Model) -> dict[str, Any]:
    x = state(model)
    given = {**x, "x": x["q"], "u": np.full(model.nu, 0.1), "lam": np.full(model.nc, 0.1), "z": np.full(model.nz, 0.1)}
    numbers = {"t": 0.1, "cv": 0.5, "ca": 2.0, "baumgarte": 0.1, "transposed": False, "link": "arm", "s": 0.5}
    others = {"X": x["q"], "given": [model.n - 1]}
    return {**given, **numbers, **others, "stations": [("arm", 0.5), ("hand", 1.0)], "frame": "world"}


def model_calls(model: Model, kind: str) -> list[Call]:
    """All public functions of a model whose parameters are states, times and stations."""
    known = _known(model)
    calls = []
    for name, function in inspect.getmembers(model, inspect.ismethod):
        parameters = inspect.signature(function).parameters
        if not name.startswith("_") and name not in SOLVERS and set(parameters) <= set(known):
            calls.append(Call(f"Model.{name} ({kind})", function, {p: known[p] for p in parameters}))
    return calls


def named_calls() -> list[Call]:
    """Functions of a model that ask for a load by its name."""
    names = {"contact": "floor", "contact_derivatives": "floor", "tension_derivatives": "guy", "link_index": "arm"}
    known = {**_known(rich()), "every_pair": False}
    calls = []
    for function, load_name in names.items():
        parameters = inspect.signature(getattr(rich(), function)).parameters
        given = {p: load_name if p == "name" else known[p] for p in parameters}
        calls.append(Call(f"Model.{function}", getattr(rich(), function), given))
    return calls


def motion_calls() -> list[Call]:
    """Read-outs along a motion."""
    known = {"link": "arm", "s": [0.2, 0.7], "frame": "world", "name": "floor", "every_pair": False}
    pages = {"path": None, "number": 2, "over_time": False}
    calls = []
    for name, function in inspect.getmembers(motion(), inspect.ismethod):
        parameters = [p for p in inspect.signature(function).parameters if p != "options"]
        if name.startswith("plot_"):
            given = {p: {**known, **pages}[p] for p in parameters}
            calls.append(Call(f"Trajectory.{name}", function, given, closed, slow=True))
        elif name[0] != "_" and name not in ("pose", "tip", "view") and set(parameters) <= set(known):
            calls.append(Call(f"Trajectory.{name}", function, {p: known[p] for p in parameters}))
    return calls


#: Functions of a model with calls of their own below, or without anything to ask.
SOLVERS = (
    *("statics", "statics_batch", "equilibrium_path", "modes", "simulate", "plot", "assemble", "check_derivatives"),
    *("step", "step_derivatives", "simulate_batch", "statics_all"),
)


def _solvers(model: Model, kind: str) -> list[Call]:
    x, u = state(model), np.full(model.nu, 0.1)
    search = {"tolerance": 1e-10, "max_iterations": 20}
    at = {"u": u, "q0": x["q"], "t": 0.1}
    run = {"t": 0.01, "q0": np.zeros(model.n), "v0": np.zeros(model.n), "u": u, "method": None, "breaks": (0.005,)}
    more = {"hold": False, "control_rate": None, "events": (), "progress": False, "checkpoint": None, "resume": False}
    limit = {"checkpoint_every": 30.0, "max_steps": STEPS}
    budget = {"starts": 2, "most": 2, "seconds": 0.05, "seed": 0, "spread": 1.0, "progress": None}
    steps = {"step": 0.05, "max_step": 0.5, "max_points": 4, "stop": None}
    closed_state = {"q": model.assemble(np.zeros(model.n)), "v": np.zeros(model.n), "z": np.full(model.nz, 0.1)}
    one = {**closed_state, "u": u, "dt": 1e-4, "method": None, "t": 0.1}
    calls = [
        ("step", one),
        ("step_derivatives", one),
        ("statics", {**at, **search, "multipliers": np.zeros(model.nc), "globalise": False}),
        ("statics_batch", {"u": np.array([u, u]), "q0": x["q"], "t": 0.1, **search, "threads": 1}),
        ("statics_all", {**at, **search, **budget}),
        ("equilibrium_path", {"u": u, "s": (0.0, 1.0), "q0": x["q"], **steps}),
        ("modes", {"at": None, "u": u, "t": 0.1, "count": 2}),
        ("simulate", {**run, **more, **limit}),
        ("assemble", {"q0": x["q"], "at_rest": False, "u": u, "t": 0.1}),
        ("check_derivatives", {**x, "u": u, "t": 0.1, "lam": np.zeros(model.nc)}),
    ]
    made = [Call(f"Model.{name} ({kind})", getattr(model, name), given) for name, given in calls]
    many = {**run, "t": np.array([0.0, 0.01]), "q0": np.zeros((2, model.n)), "threads": 1, "max_steps": STEPS}
    many |= {"hold": False, "control_rate": None, "events": (), "progress": False, "folder": None, "record": False}
    made.append(Call(f"Model.simulate_batch ({kind})", model.simulate_batch, many, finished))
    picture = {"q": x["q"], "u": u, "t": 0.1, "ax": None}
    return [*made, Call(f"Model.plot ({kind})", model.plot, picture, closed, slow=True)]


def finished(made: sp.Motions) -> Any:
    """What runs of a batch gave that came to their end."""
    return made.q[made.done & ~made.failed]


def _results() -> list[Call]:
    folder = Path(tempfile.mkdtemp(prefix="supple-fuzz-"))
    run, route = trajectory(), path()
    saved = run.save(folder / "good.npz")
    film = {"path": folder / "film.gif", "fps": 2.0, "speed": 0.02, "watch": None, "progress": None}
    plot = {"path": folder / "page.png", "watch": [("arm", 1.0)]}
    page = {"path": folder / "page.html", "fps": 100.0, "speed": 1.0, "title": None}
    tape, n = recorded(), plain().n
    slender = designed(slim, 0.01).model().simulate(np.linspace(0.0, 0.01, 3), method=sp.BDF2(dt=5e-3), record=True)
    varied = slender.jvp(p={"radius": 0.01})
    rows = {name: np.zeros((3, n)) for name in ("q", "v", "a")}
    more = {"tip": {"arm": np.ones((3, 3))}, "pose": None, "u": np.ones((3, 1)), "energy": np.ones(3)}
    start = {"q0": np.zeros(n), "v0": np.ones(n), "u": np.ones(1), "z0": np.zeros(0)}
    swept = {"function": math.sqrt, "samples": [1.0, 4.0], "executor": None, "resume": True, "progress": False}
    return [
        Call("sweep", sp.sweep, swept, lambda made: made.failed),  # not its results: the root of NaN is NaN
        Call("Design", designed, {"build": slim, "radius": 0.01}, lambda made: made.model().n),
        Call("Trajectory.vjp", tape.vjp, {**rows, **more}, lambda made: made.q0),
        Call("Trajectory.jvp", tape.jvp, start, lambda made: made.q),
        Call("Trajectory.jvp (design)", slender.jvp, {"p": {"radius": 0.01}}, lambda made: made.q),
        Call("Variation.tip", varied.tip, {"link": "arm"}),
        Call("Variation.pose", varied.pose, {"link": "arm", "s": 0.5}),
        Call("Trajectory.pose", run.pose, {"link": "arm", "s": 0.5}),
        Call("Trajectory.tip", run.tip, {"link": "arm", "s": 0.5}),
        Call("Trajectory.save", run.save, {"path": folder / "copy.npz"}),
        Call("Trajectory.load", sp.Trajectory.load, {"path": saved, "model": plain()}, lambda made: made.q),
        Call("Trajectory.plot", run.plot, plot, closed, slow=True),
        Call("Trajectory.animate", run.animate, film, slow=True),
        Call("Trajectory.export", run.export, page, slow=True),
        Call("EquilibriumPath.at", route.at, {"s": 0.3}, lambda made: made.q),
        Call("Multipliers.__getitem__", rich().statics().multipliers.__getitem__, {"name": "tip"}),
    ]


def _files() -> list[Call]:
    """Frames, parts and files; every call has a robot and files of its own."""
    folder = Path(tempfile.mkdtemp())
    body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    ends = '<parent link="a"/><child link="b"/>'
    links = f'<link name="a"/><link name="b">{body}</link>'
    (folder / "a.urdf").write_text(f'<robot name="r">{links}<joint name="j" type="continuous">{ends}</joint></robot>')

    def fresh() -> sp.Robot:
        robot = sp.Robot("r")
        robot.add_link("a", sp.Rigid.sphere(0.1, density=1000.0), sp.Revolute("y"))
        return robot

    file = folder / "a.yaml"
    fresh().save(file)
    file.write_text(file.read_text() + "parameters: {p: 1.0}\n")
    urdf = {"path": folder / "a.urdf", "base": "fixed", "name": None, "gravity": (0.0, 0.0, -9.81), "packages": None}
    hinge = '<joint name="j" axis="0 1 0"/><geom type="sphere" size="0.1"/>'
    (folder / "a.xml").write_text(f'<mujoco><worldbody><body name="a">{hinge}</body></worldbody></mujoco>')
    mjcf = {"path": folder / "a.xml", "name": None, "gravity": (0.0, 0.0, -9.81), "folder": folder}
    part = {"part": fresh(), "to": "a", "at": sp.pose(), "prefix": "p/"}
    framed = fresh()
    framed.add_frame("tool", "a")
    return [
        Call("Robot.add_frame", lambda **x: fresh().add_frame(**x), {"name": "f", "link": "a", "at": sp.pose()}),
        Call("Robot.attach", lambda **x: fresh().attach(**x), part),
        Call("Robot.save", lambda **x: fresh().save(**x), {"path": folder / "b.yaml", "functions": None}),
        Call("load", sp.load, {"path": file, "functions": None, "p": 1.0}),
        Call("load_design", sp.load_design, {"path": file, "functions": None}),
        Call("load_urdf", sp.load_urdf, {**urdf, "shapes": "visual", "limits": True, "merge": True}),
        Call("load_mjcf", sp.load_mjcf, {**mjcf, "shapes": "visual", "limits": True, "armature": True, "merge": True}),
        Call("HelicalRoute", sp.HelicalRoute, {"radius": 0.01, "pitch": 0.1, "phase": 0.0}, lambda made: made(0.1)),
        Call("Model.frame", framed.compile().frame, {"name": "tool"}),
    ]


def all_calls() -> list[Call]:
    """Everything, built once per process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [(plain(), "plain"), (rich(), "rich")]
        made = [Call(*call) for call in soft_body_calls()]
        made += [*description_calls(), *_robots()]
        for model, kind in models:
            made += [*model_calls(model, kind), *_solvers(model, kind)]
        return [*made, *named_calls(), *motion_calls(), *_results(), *_files()]
