"""Options of solvers: refused before anything is computed, and by name."""

import numpy as np
import pytest

import supple as sp
from supple import laws


@pytest.fixture(scope="module")
def model():
    robot = sp.Robot("arm")
    material = sp.Material(young=1e6, density=1000.0, viscosity=1e3)
    robot.add_link("arm", sp.Rod(0.5, sp.Circle(0.01), material, sp.Legendre(bend_y=2), points=5))
    robot.add(sp.Tendon("t", {"arm": (0.0, 0.005)}))
    return robot.compile()


NO_NUMBERS = ("x", None, 1j, [1.0], True, np.nan, np.inf, 10**400, object())


@pytest.mark.parametrize("value", [*NO_NUMBERS, 0.0, -1.0, 1.0])
def test_tolerances_of_equilibria(model, value):
    for search in (model.statics, lambda u, **given: model.statics_batch([u], **given)):
        with pytest.raises(sp.ModelError, match="tolerance is"):
            search([0.0], tolerance=value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_iterations": 0}, "max_iterations is 0, must be at least 1"),
        ({"max_iterations": 2.5}, r"max_iterations is 2.5, must be a whole number"),
        ({"globalise": "no"}, "globalise is 'no', must be True or False"),
        ({"t": np.nan}, "t is nan, must be finite"),
        ({"t": "x"}, "t is 'x', must be a number"),
        ({"multipliers": [1.0]}, r"multipliers has shape \(1,\)"),
        ({"u": [laws.Ramp(0.0, 1.0)]}, "u holds laws of time"),
        ({"u": lambda t: 0.0}, "u holds laws of time"),
        ({"u": "a"}, r"u is 'a', must be 1 real numbers \(is text\); inputs are: t"),
        ({"u": {"t": None}}, "u: input 't' is None, must be a number"),
        ({"u": {3: 1.0}}, "there is no input 3; inputs are: t"),
        ({"u": [1.0 + 0j]}, "is complex"),
    ],
)
def test_options_of_equilibria(model, options, message):
    with pytest.raises(sp.SuppleError, match=message):
        model.statics(**options)


@pytest.mark.parametrize("q0", [0.7, "x", np.zeros((3, 3)), np.full(3, np.nan), np.zeros(3) + 0j, [[1], [1, 2]]])
def test_guesses_of_a_batch_are_vectors(model, q0):
    with pytest.raises((sp.ShapeError, sp.StateError), match="q0"):
        model.statics_batch([[0.1], [0.2]], q0=q0)


def test_an_empty_batch_is_a_batch(model):
    assert model.statics_batch(np.zeros((0, 1))).q.shape == (0, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hold": "x"}, "hold is 'x', must be True or False"),
        ({"resume": 1}, "resume is 1, must be True or False"),
        ({"events": [lambda t, q, v: q[0]]}, r"events\[0\] is .*, must be a supple.Event; wrap a function"),
        ({"events": 3}, r"events\[0\] is 3, must be a supple.Event"),
        ({"breaks": 0.1}, "breaks is 0.1, must be a sequence"),
        ({"breaks": [np.nan]}, "breaks is .*, must be finite"),
        ({"max_steps": 0}, "max_steps is 0, must be at least 1"),
        ({"max_steps": 1.5}, "max_steps is 1.5, must be a whole number"),
        ({"checkpoint_every": "x"}, "checkpoint_every is 'x', must be a number"),
        ({"checkpoint": 3}, "checkpoint is 3, must be the name of a file"),
        ({"control_rate": -1.0}, r"control_rate is -1, must be positive \(samples per second\)"),
        ({"control_rate": 1e300, "u": lambda t, q, v: 0.0}, r"control_rate is 1e\+300: .* samples"),
        ({"progress": "x"}, "progress is 'x', must be True or False"),
        ({"method": "NDF"}, "method is 'NDF', must be one of supple"),
        ({"u": {"t": "x"}}, "u: input 't' is 'x', must be a number"),
        ({"u": [laws.Ramp(0, 1), 3]}, "u has 2 entries"),
        ({"u": 1j}, r"u is 1j, must be 1 real numbers \(is complex\)"),
        ({"t": np.ma.masked}, r"t is masked, must be an end time .*has masked entries"),
        ({"t": np.array(["2024-01-01"], dtype="M8[s]")}, "is a date"),
    ],
)
def test_options_of_runs(model, options, message):
    with pytest.raises(sp.SuppleError, match=message):
        model.simulate(**{"t": 0.01, **options})


@pytest.mark.parametrize("value", [None, "x", 1j, [0.0, 1.0], np.nan, 10**400])
def test_what_functions_of_a_run_return(model, value):
    for given, owner in (
        ({"u": lambda t: value}, "u: its law"),
        ({"u": lambda t, q, v: value}, "u"),
        ({"u": [lambda t: value]}, "u: law 0"),
        ({"events": sp.Event(lambda t, q, v: value, name="touch")}, "the function of event 'touch'"),
    ):
        with pytest.raises(sp.SimulationError, match=rf"{owner} returned .* must return a finite number"):
            model.simulate(0.01, **given)


def test_what_functions_of_a_run_raise(model):
    def wrong(t):
        return {}["key"]

    with pytest.raises(sp.SimulationError, match=r"u: its law at t = 0 raised KeyError: 'key'"):
        model.simulate(0.01, u=wrong)


@pytest.mark.parametrize("part", ["rate", "output"])
def test_what_a_controller_returns(part):
    robot = sp.Robot("slider")
    robot.add_link("x", sp.Rigid.sphere(0.1, density=1e3), sp.Prismatic("x"))
    robot.add(sp.JointDrive("motor", "x"))
    functions = {"rate": lambda t, q, v, z: -z, "output": lambda t, q, v, z: 0.0, part: lambda t, q, v, z: "x"}
    robot.add(sp.Controller([1.0], **functions, name="pid"))
    with pytest.raises(sp.SimulationError, match=rf"Controller 'pid': {part} returned 'x' at t = 0"):
        robot.compile().simulate(0.1)


@pytest.mark.parametrize("steps", [1, 20, 300])
def test_max_steps_is_exact_and_said_once(model, steps):
    with pytest.raises(
        sp.SimulationError, match=rf"^[^()]*\(last step .* s, {steps} made\): max_steps is reached"
    ) as e:
        model.simulate(10.0, method=sp.NDF(max_step=1e-3), max_steps=steps)
    assert str(e.value).count("made") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"s": 3}, "s is 3, must be two different finite numbers"),
        ({"s": (0.0, 1j)}, "must be an array of real numbers"),
        ({"step": np.nan}, "step is nan"),
        ({"max_step": 0.0}, "max_step is 0, must be positive"),
        ({"max_points": 0}, "max_points is 0, must be at least 1"),
        ({"stop": 3}, "stop is 3, must be a function"),
        ({"u": lambda s: "x"}, "u returned 'x' at s = 0; it must return a finite number"),
    ],
)
def test_options_of_paths(model, options, message):
    with pytest.raises(sp.SuppleError, match=message):
        model.equilibrium_path(**options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sp.NDF(atol="x"), "NDF: atol is 'x', must be an array of real numbers"),
        (lambda: sp.NDF(atol=[[1e-6]]), "NDF: atol is .*, must be positive"),
        (lambda: sp.NDF(loops=np.zeros(2)), "NDF: loops is array.*, must be one of 'stabilised', 'index3'"),
        (lambda: sp.NDF(max_order=6), "max_order is 6, must be at most 5"),
        (lambda: sp.RK45(baumgarte=np.nan), "RK45: baumgarte is nan, must be finite"),
        (lambda: sp.RK45(first_step=10**400), r"RK45: first_step is .*\(is too large for float64\)"),
        (lambda: sp.ImplicitEuler(None), "ImplicitEuler: dt is None, must be a number"),
        (lambda: sp.GeneralizedAlpha(rho_inf=True), "rho_inf is True, must be a number"),
        (lambda: sp.Event(lambda t, q, v: t, direction=2), "direction is 2, must be one of -1, 0, 1"),
        (lambda: sp.Event(lambda t, q, v: t, name=3), "Event: name is 3, must be a string"),
        (lambda: sp.Event(lambda t, q, v: t, action=np.zeros(2)), "action is array"),
    ],
)
def test_methods_and_events(make, message):
    with pytest.raises(sp.ModelError, match=message):
        make()


def test_methods_keep_plain_numbers():
    method = sp.NDF(rtol=np.float32(0.25), atol=np.array([1e-6, 1e-5]), max_step=np.array(0.5))
    assert method == sp.NDF(rtol=0.25, atol=(1e-6, 1e-5), max_step=0.5)
    assert repr(method).count("array") == 0
