"""Whom operations are about: a model, or a design with its parameters."""

import numpy as np
import pytest

import supple as sp
from bridge_cases import TENSIONS, arm, arm_design, check
from helpers import difference_jacobian, relative_error
from supple.bridges.calls import arranged
from supple.bridges.dynamics import ForwardDynamicsOperation, InverseDynamicsOperation, PoseOperation, TipOperation
from supple.bridges.equilibria import EquilibriumOperation
from supple.bridges.rows import Rows
from supple.bridges.subject import KEPT, Subject

#: Values in the order of the parameters.
VALUES = [np.array(2.2e5), np.array([0.011, 0.009]), np.array(0.42)]


def test_a_model_has_no_parameters():
    model = arm()
    subject = Subject(model)
    assert subject.nominal is model
    assert subject.parameters == []
    assert subject.model([]) is model


@pytest.mark.parametrize("given", [None, "arm", np.zeros(3), sp.Robot("raw")])
def test_what_is_no_model_is_refused(given):
    with pytest.raises(sp.ModelError, match="must be a Model"):
        Subject(given)


def test_parameters_have_names_shapes_and_values():
    subject = Subject(arm_design())
    assert [(name, shape) for name, shape, _ in subject.parameters] == [("young", ()), ("radius", (2,)), ("length", ())]
    operation = EquilibriumOperation(subject, None, 0.0, 1e-10, 60)
    assert [port.name for port in operation.inputs] == ["u", "young", "radius", "length"]
    assert arranged(operation, (1,), {"p": {"length": 2}}) == [1, None, None, 2]
    with pytest.raises(sp.ModelError, match="no parameter 'mass'; they are: young, radius, length"):
        arranged(operation, (1, {"mass": 2}), {})
    with pytest.raises(sp.ModelError, match="must be a dict"):
        arranged(operation, (1, 2.0), {})


def test_equal_values_share_a_model_and_few_are_kept():
    subject = Subject(arm_design())
    first = subject.model(VALUES)
    assert subject.model([x.copy() for x in VALUES]) is first
    for k in range(KEPT):
        subject.model([VALUES[0] * (2.0 + k), *VALUES[1:]])
    assert subject.model(VALUES) is not first


def test_equilibria_by_parameters():
    subject = Subject(arm_design())
    operation = EquilibriumOperation(subject, None, 0.0, 1e-13, 60)
    model = subject.design.model(young=2.2e5, radius=[0.011, 0.009], length=0.42)
    found = operation.evaluate([TENSIONS, *VALUES], False)[0][0]
    assert np.array_equal(found, model.statics(TENSIONS, tolerance=1e-13).q)
    scaled_check(operation, [TENSIONS, *VALUES], 1e-6)


@pytest.mark.parametrize("kind", [PoseOperation, TipOperation])
def test_places_by_parameters(kind):
    """A longer arm reaches further at the same q."""
    q = 0.3 * np.random.default_rng(0).standard_normal(6)
    scaled_check(kind(Subject(arm_design()), "arm", 0.7), [q, *VALUES], 1e-6)


def scaled_check(operation, inputs, tolerance):
    """`bridge_cases.check` with parameters in units of their values: steps of differences fit all of them."""
    sizes = [np.ones_like(inputs[0]), *inputs[1:]]

    class Scaled(type(operation)):
        def __init__(self):
            self.__dict__ |= vars(operation)

        def evaluate(self, given, record):
            return operation.evaluate([x * y for x, y in zip(given, sizes, strict=True)], record)

        def jacobian(self, memory):
            blocks = operation.jacobian(memory)
            return [[block * y.ravel() for block, y in zip(row, sizes, strict=True)] for row in blocks]

        def pull(self, memory, cotangents):
            return tuple(x * y for x, y in zip(operation.pull(memory, cotangents), sizes, strict=True))

        def push(self, memory, tangents):
            return operation.push(memory, [x * y for x, y in zip(tangents, sizes, strict=True)])

    check(Scaled(), [x / y for x, y in zip(inputs, sizes, strict=True)], tolerance)


def test_rows_of_designs_on_threads():
    operation = EquilibriumOperation(Subject(arm_design()), None, 0.0, 1e-10, 60)
    young = 2e5 * np.random.default_rng(0).uniform(0.5, 2.0, 12)
    given = [np.broadcast_to(x, (12, *x.shape)) for x in (TENSIONS, *VALUES)]
    given[1] = young
    results = []
    for threads in (1, 3):
        rows = Rows(operation, threads)
        (q,), memories = rows.evaluate(given, True)
        results.append([q, *rows.pull(memories, [np.ones((12, 6))])])
    for one, several in zip(*results, strict=True):
        assert np.array_equal(one, several)


def test_a_gradient_that_is_missing_is_told():
    with pytest.raises(sp.ModelError, match="by the parameter 'radius' are not known"):
        Subject(arm_design()).gradients({"young": 1.0, "length": 2.0})


@pytest.mark.parametrize("kind", [InverseDynamicsOperation, ForwardDynamicsOperation])
def test_dynamics_by_parameters(kind):
    operation, rng = kind(Subject(arm_design()), 0.0), np.random.default_rng(4)
    given = [0.3 * rng.standard_normal(port.shape) for port in operation.own]
    given += [port.default * rng.uniform(0.9, 1.1, port.shape) for port in operation.inputs[3:]]
    _, memory = operation.evaluate(given, True)
    blocks = operation.jacobian(memory)[0]
    for i, port in enumerate(operation.inputs):
        h = 1e-4 * max(np.abs(given[i]).max(), 1e-3)

        def moved(x, i=i, port=port):
            return operation.evaluate([*given[:i], x.reshape(port.shape), *given[i + 1 :]], False)[0][0]

        expected = difference_jacobian(moved, given[i].ravel(), h)
        assert relative_error(blocks[i], expected) < 1e-7, port.name
