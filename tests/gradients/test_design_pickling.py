"""Designs of pickled models, equilibria and motions: kept where their function can be, else missed by name."""

import copy
import dataclasses
import pickle
import subprocess
import sys

import cloudpickle
import numpy as np
import pytest

import supple as sp
from supple.errors import DesignError, ModelError


def finger(young=5e5, radii=(0.01, 0.008)):
    material = sp.Material(young=young, poisson=0.5, density=1100.0, viscosity=2e3)
    robot = sp.Robot("finger", gravity=(9.81, 0.0, 0.0))
    robot.add_link("arm", sp.Rod(0.2, sp.Circle(tuple(radii)), material, sp.Legendre(bend_y=2), points=4))
    robot.add(sp.Tendon("pull", {"arm": (0.0, 0.007)}))
    return robot


VALUES = {"young": 6e5, "radii": np.array([0.01, 0.008])}


def moved(model):
    return model.simulate(np.linspace(0.0, 0.02, 3), u=[1.0], method=sp.BDF2(dt=2e-3), record=True)


def gradients(model, motion):
    rest = model.statics(u=[1.0])
    return rest.vjp(np.ones(model.n)).p, motion.vjp(q=np.ones_like(motion.q)).p


def same(a, b):
    return all(np.array_equal(x[name], y[name]) for x, y in zip(a, b, strict=True) for name in VALUES)


@pytest.mark.parametrize("pickler", [pickle, cloudpickle], ids=["pickle", "cloudpickle"])
def test_a_design_is_kept(pickler):
    model = sp.Design(finger, **VALUES).model(young=7e5)
    motion = moved(model)
    expected = gradients(model, motion)
    other, run = pickler.loads(pickler.dumps((model, motion)))
    assert run.model is other
    assert other.design.values["young"] == 7e5
    assert same(gradients(other, run), expected)
    assert np.array_equal(run.jvp(p={"young": 1.0}).q, motion.jvp(p={"young": 1.0}).q)
    again = other.design.design.model(young=6e5)
    assert again.design.values["young"] == 6e5
    with pytest.raises(DesignError, match="there is no parameter 'length'"):
        other.design.design.model(length=0.3)


def test_a_design_alone():
    design = sp.Design(finger, **VALUES)
    design.bounds, design.scale = {"young": (1e5, 1e6)}, {"young": "log"}
    design.model()
    other = pickle.loads(pickle.dumps(design))
    assert (other.names, other.labels, other.bounds, other.scale) == (
        design.names, design.labels, design.bounds, design.scale)  # fmt: skip
    assert np.array_equal(other.model().stiffness, design.model().stiffness)
    assert copy.deepcopy(design).size == design.size


def test_a_lambda_is_missed_by_name():
    model = sp.Design(lambda young=5e5: finger(young), young=6e5).model()
    motion = moved(model)
    other, run = pickle.loads(pickle.dumps((model, motion)))
    assert other.design is None
    left = r"its design was left behind by pickling \(.*lambda.*\): use a function at the top level"
    with pytest.raises(DesignError, match=left):
        other.statics(u=[1.0]).jvp(p={"young": 1.0})
    with pytest.raises(DesignError, match=left):
        run.jvp(p={"young": 1.0})
    for p in gradients(other, run):
        assert p == {}
        with pytest.raises(DesignError, match="no gradient by parameter 'young'.*" + left):
            _ = p["young"]
    again = pickle.loads(pickle.dumps(other))  # why is not forgotten
    with pytest.raises(DesignError, match=left):
        again.statics(u=[1.0]).jvp(p={"young": 1.0})


def test_cloudpickle_takes_lambdas():
    model = sp.Design(lambda young=5e5: finger(young), young=6e5).model()
    motion = moved(model)
    run = cloudpickle.loads(cloudpickle.dumps(motion))
    w = np.ones_like(motion.q)
    assert run.vjp(q=w).p == motion.vjp(q=w).p


def test_another_process_reads_it(tmp_path):
    model = sp.Design(lambda young=5e5: finger(young), young=6e5).model()
    motion = moved(model)
    code = "import pickle, sys; m = pickle.load(open(sys.argv[1], 'rb')); print(repr(float(m.vjp(q=m.q).p['young'])))"
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    try:
        (tmp_path / "motion").write_bytes(cloudpickle.dumps(motion))
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    ran = subprocess.run([sys.executable, "-c", code, tmp_path / "motion"], capture_output=True, text=True, check=True)
    assert float(ran.stdout) == motion.vjp(q=motion.q).p["young"]


def test_a_motion_without_its_model():
    motion = moved(sp.Design(finger, **VALUES).model())
    lost = dataclasses.replace(pickle.loads(pickle.dumps(motion)), model=None)
    for ask in (lambda: lost.vjp(q=lost.q), lambda: lost.jvp(p={"young": 1.0})):
        with pytest.raises(ModelError, match="lost its model"):
            ask()
