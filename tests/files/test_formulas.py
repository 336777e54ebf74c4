"""Traced functions in files: formulas that give the same symbols, and with them the same models to the bit."""

import numpy as np
import pytest

import supple as sp
from round_trips import again, assert_same
from supple.errors import FileError, ModelError
from supple.files.formulas import OPERATIONS, Formula, formula
from supple.robot.bodies.soft import SoftBody
from supple.tracing import operations as op

pytestmark = pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")

MATERIAL = sp.Material(young=2e5, poisson=0.45, density=1100.0, viscosity=200.0)
RUBBER = sp.NeoHookean(young=1e5, poisson=0.4, density=900.0)
MESH = sp.Mesh([(0, 0, 0), (0, 0.1, 0), (0, 0, 0.1), (0.2, 0, 0), (0.2, 0.1, 0.1)], [(0, 1, 2, 3), (1, 2, 3, 4)])


def everything(x, q):
    """Every operation that can be traced."""
    s = np.where(x[0] < 0.1, x[0], 0.1 + 0.5 * (x[0] - 0.1)) / 0.2
    angle = np.arctan2(x[2], x[1] + 1.0) + np.where(x[0] <= 0.15, 0.0, np.sign(x[1]) * 0.01)
    a = q[0] * s + 0.1 * np.tanh(q[1]) * s**2 + np.abs(0.0 * x[0] + 2.0) * 0.1 * np.arctan(q[1]) * s**1.5
    b = (np.sinh(0.1 * q[0]) + np.log(2.0 + np.cosh(q[1])) - np.log(3.0)) * s + 0.1 * np.arcsin(0.1 * q[0]) * s
    b = b + (np.exp(0.1 * q[1]) - 1.0) * s * (1.0 + angle) / (2.0 + q[0] ** 2) - 0.1 * np.tan(0.1 * q[0]) * s
    b = b + 0.1 * (np.arccos(0.1 * q[0]) - 0.5 * np.pi) * s
    root = np.sqrt(a * a + 0.01 * q[1] ** 2 * s * s)
    bent = np.stack([x[0] * np.sinc(root / np.pi), x[0] * np.sinc(0.3 * a) * a * 0.5, x[0] * b * 0.2])
    return bent + x[1] * np.stack([-np.sin(a), np.cos(a), 0.0 * s]) + x[2] * np.array([0.0, 0.0, 1.0])


class Labelled:
    """Kinematics with names, whose sections stay rigid."""

    n, labels, rigid_sections = 1, ("bow",), True

    def __call__(self, x, q):
        angle = q[0] * x[0] / 0.2
        along, across = x[0] * np.sinc(angle / np.pi), x[0] * np.sin(0.5 * angle) * np.sinc(0.5 * angle / np.pi)
        return np.stack([along - x[1] * np.sin(angle), across + x[1] * np.cos(angle), x[2]])


def primitives():
    modes = [lambda x: 1.0 + 0.3 * np.cos(4.0 * x), sp.PolynomialMode((0.0, 1.0), 0.2)]
    parts = (sp.Twist(modes), sp.Shear(modes[0], "z"), sp.Stretch(lambda x: x / 0.2), sp.Bend(modes[1], towards="z"))
    return sp.VolumePreserving([sp.Source(lambda x: 1e-4 * x**2), *parts])


TUBE = sp.HollowCylinder(0.2, 0.03, 0.01)
OFF_AXIS = [(0.2, 0.02, 0.0), (0.2, 0.03, 0.0), (0.2, 0.02, 0.01)]  # a source has no axis
SMALL = {"points": (4, 2, 5)}

BODIES = {
    "everything": lambda: SoftBody(everything, sp.Block(0.2, 0.05, 0.03), RUBBER, n=2, **SMALL),
    "labelled": lambda: SoftBody(Labelled(), sp.Cylinder(0.2, 0.02), MATERIAL, **SMALL),
    "primitives": lambda: SoftBody(primitives(), TUBE, MATERIAL, moving_base=True, tip=OFF_AXIS, **SMALL),
    "bulging": lambda: SoftBody(sp.VariableRadius(0.2, 0.03), sp.Cylinder(0.2, 0.03), RUBBER, points=(8, 2, 8)),
    "modes": lambda: sp.ModalBody(MESH, 3, RUBBER),
    "energy": lambda: SoftBody(sp.ConstantCurvature(0.2, stretch=True), TUBE, own_material(), **SMALL),
    "density": lambda: SoftBody(Labelled(), TUBE, MATERIAL, density=lambda x: 900.0 + np.cos(9.0 * x[0]), **SMALL),
}


def own_material():
    return sp.EnergyDensity(own_energy, density=950.0, viscosity=3.0)


def own_energy(F):
    J = np.linalg.det(F)
    return 3e4 * (np.sum(F * F) - 3.0 - 2.0 * np.log(J)) + 1e5 * (J - 1.0) ** 2 / (1.0 + 0.1 * J)


def strain_energy(e, K, s, c, d):
    return 0.5 * e @ K @ e * (1.0 + 0.1 * np.where(s < 0.5, s, 0.5)) + c * K[1, 1] * e[1] ** 4 / (2.0 + d * e[3])


@pytest.mark.parametrize("ending", ["yaml", "json"])
@pytest.mark.parametrize("name", BODIES)
def test_soft_bodies_of_every_kinematics_come_back_without_functions(name, ending, tmp_path):
    robot = sp.Robot("soft")
    robot.add_link("body", BODIES[name](), joint=sp.Revolute("y"))
    robot.add_frame("spot", ("body", (0.05, 0.01, 0.0)))
    robot.add(sp.PointWrench("body", np.ones(6), s=(0.05, 0.005, 0.01)))
    if name in ("primitives", "density"):
        robot.add(sp.Cavity("p", "body"))
        robot.add(sp.Cavity("part", "body", region=lambda x: bool(x[0] < 0.1)))
        robot.add(sp.Tendon("t", {"body": (0.0, 0.02)}))
    path = tmp_path / f"robot.{ending}"
    assert robot.save(path) == {}
    read = sp.load(path)
    assert_same(robot, read)
    assert_same(read, again(read, tmp_path, "json"))  # formulas of formulas
    models = robot.compile(), read.compile()
    q = 0.1 * np.arange(1.0, models[0].n + 1.0) / models[0].n
    for mine, theirs in zip(*(model.inverse_dynamics_derivatives(q, q, q) for model in models), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_laws_of_rods_come_back_without_functions(tmp_path):
    robot = sp.Robot("rods")
    laws = (sp.StrainEnergy(strain_energy, {"c": 1e-4, "d": 0.3}), sp.MooneyRivlinRod(0.2), sp.Saturating(bend_y=0.1))
    laws = (*laws, sp.StrainEnergy(lambda e, K, s, c: 0.5 * e @ K @ e + c * e[1] ** 4, {"c": 1e-6}))
    for i, law in enumerate(laws):
        strain = sp.Legendre(bend_y=2, stretch=1, torsion=0)
        robot.add_link(f"rod {i}", sp.Rod(0.3, sp.Circle((0.01, 0.02)), MATERIAL, strain, points=4, law=law))
    path = tmp_path / "r.yaml"
    assert robot.save(path) == {}
    read = sp.load(path)
    assert_same(robot, read)
    model, twin = robot.compile(), read.compile()
    q = 0.1 * np.arange(1.0, model.n + 1.0) / model.n
    np.testing.assert_array_equal(model.internal_force(q, q), twin.internal_force(q, q))
    assert read.links[0].body.law.given == {"c": 1e-4, "d": 0.3}


def test_functions_that_are_named_or_cannot_be_traced_go_by_name(tmp_path):
    robot = sp.Robot("soft")
    body = BODIES["everything"]()
    robot.add_link("body", body)
    named = robot.save(tmp_path / "r.yaml", {"mine": everything})
    assert named == {"mine": everything}
    with pytest.raises(FileError, match="'mine' was not given"):
        sp.load(tmp_path / "r.yaml")
    assert formula(lambda x: np.floor(x), [()], ()) is None
    assert formula(lambda x: 1.0 / 0.0 * x, [()], ()) is None
    assert formula(lambda x, q: sp.ModalBody(MESH, 1, RUBBER).kinematics(x, q), [(3,), (1,)], (3,)) is None


@pytest.mark.parametrize("operation", OPERATIONS)
def test_numbers_and_symbols_agree(operation):
    code, count = OPERATIONS[operation]
    fixed = operation in ("power", "bessel", "rooted")
    operands = [0, 2] if fixed else [0, 1, 0][:count]
    made = Formula([[2]], [["constant", 2.0], [operation, *operands]], [3])
    x = np.array([0.3, 0.4])
    assert made(x) == float(op.EVALUATE[code](*(np.append(x, 2.0)[operands])))
    assert formula(made, [(2,)], ())(x) == pytest.approx(made(x), rel=1e-14)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"inputs": 3}, "inputs is 3, must be a list"),
        ({"inputs": [[0]]}, "input 0 is 0, must be at least 1"),
        ({"inputs": [[10**9]]}, "1000 entries at most"),
        ({"rows": [["sine", 0]]}, "no operation 'sine'"),
        ({"rows": [["sin", 1]]}, r"operands \[1\], must have 1, each from 0 to 0"),
        ({"rows": [["sin", -1]]}, r"operands \[-1\]"),
        ({"rows": [["sin", True]]}, r"operands \[True\]"),
        ({"rows": [["power", 0, 0]]}, "second operand must be a constant"),
        ({"rows": [["constant", 99.0], ["bessel", 0, 1]]}, "order 99.0, must be 0 to 10"),
        ({"rows": [["constant", float("inf")]]}, "a finite number"),
        ({"rows": [[]]}, "no operation None"),
        ({"results": [5]}, "must be 1 numbers from 0 to"),
        ({"results": [0, 0]}, "must be 1 numbers from 0 to"),
        ({"rows": [["sin", 0]] * 20_001}, "at most 20000"),
    ],
)
def test_wrong_formulas_are_refused(changes, words):
    with pytest.raises(ModelError, match=words):
        Formula(**({"inputs": [[]], "rows": [["sin", 0]], "results": [1]} | changes))


def test_wrong_arguments_are_refused():
    made = Formula([[]], [["sin", 0]], [1])
    with pytest.raises(ModelError, match="was given 2 arguments"):
        made(1.0, 2.0)
    with pytest.raises(ModelError, match=r"has shape \(2,\), must be \(\)"):
        made(np.ones(2))
