"""What tests of the bridges share: small robots, and a check of an operation's derivatives."""

import numpy as np

import supple as sp
from helpers import difference_jacobian, relative_error

#: Three tensions of `arm`.
TENSIONS = np.array([0.5, 0.2, 0.1])


def soft_arm(young=2e5, radius=(0.012, 0.008), length=0.4):
    """A soft arm that hangs, with three tendons."""
    robot = sp.Robot("arm")
    material = sp.Material(young, density=1000.0, viscosity=500.0)
    strain = sp.Legendre(bend_y=2, bend_z=2)
    robot.add_link("arm", sp.Rod(length, sp.Circle(tuple(radius)), material, strain, points=6))
    for name, route in (("up", (0.0, 0.006)), ("left", (0.005, -0.003)), ("right", (-0.005, -0.003))):
        robot.add(sp.Tendon(name, {"arm": route}))
    return robot


def arm():
    """Its model."""
    return soft_arm().compile()


def arm_design():
    """The same with a number, an array and a length as parameters."""
    return sp.Design(soft_arm, young=2e5, radius=[0.012, 0.008], length=0.4)


def bow():
    """A rod whose tip is pinned, bowed by a tendon and a motor: a loop."""
    robot = sp.Robot("bow")
    rod = sp.Rod(0.4, sp.Circle(0.01), sp.Material(2e5, density=1000.0), sp.Legendre(bend_y=3, stretch=1), points=6)
    robot.add_link("bow", rod, sp.Revolute("y", stiffness=0.01))
    robot.add(sp.Tendon("string", {"bow": (0.0, 0.008)}))
    robot.add(sp.JointDrive("motor", "bow"))
    robot.add(sp.Loop("pin", ("bow", sp.pose()), ("world", sp.pose((0.36, 0.0, 0.05))), sp.Spherical()))
    return robot.compile()


def pendulum():
    """Two rigid links, a motor on each, in a ball joint and a hinge."""
    robot = sp.Robot("pendulum")
    body = sp.Rigid(1.0, [0.01, 0.02, 0.03], com=(0.2, 0.0, 0.0), tip=sp.pose((0.4, 0.0, 0.0)))
    robot.add_link("upper", body, sp.Spherical(damping=0.1))
    robot.add_link("lower", body, sp.Revolute("y", damping=0.1), parent="upper")
    robot.add(sp.JointDrive("shoulder", "upper"))
    robot.add(sp.JointDrive("elbow", "lower"))
    return robot.compile()


def check(operation, inputs, tolerance, step=1e-3):
    """Jacobians against differences of each input, `pull` and `push` against Jacobians."""
    outputs, memory = operation.evaluate(inputs, record=True)
    assert [x.shape for x in outputs] == [port.shape for port in operation.outputs]
    blocks = operation.jacobian(memory)

    def moved(i, x):
        changed = [*inputs[:i], x.reshape(operation.inputs[i].shape), *inputs[i + 1 :]]
        return np.concatenate([y.ravel() for y in operation.evaluate(changed, record=False)[0]])

    for i, x in enumerate(inputs):
        exact = np.vstack([row[i] for row in blocks])
        if x.size:
            differences = difference_jacobian(lambda y, i=i: moved(i, y), x.ravel(), step * max(1.0, np.abs(x).max()))
            assert relative_error(exact, differences) < tolerance
    rng = np.random.default_rng(0)
    y = [rng.standard_normal(port.shape) for port in operation.outputs]
    for i, gradient in enumerate(operation.pull(memory, y)):
        expected = sum(a.ravel() @ row[i] for a, row in zip(y, blocks, strict=True))
        assert gradient.shape == operation.inputs[i].shape
        assert relative_error(gradient.ravel(), expected) < 1e-9
    sizes = [max(1.0, np.abs(x).max(initial=0.0)) for x in inputs]
    x = [size * rng.standard_normal(port.shape) for size, port in zip(sizes, operation.inputs, strict=True)]
    for row, change, port in zip(blocks, operation.push(memory, x), operation.outputs, strict=True):
        assert change.shape == port.shape
        expected = sum(block @ dx.ravel() for block, dx in zip(row, x, strict=True))
        assert relative_error(change.ravel(), expected) < 1e-9
