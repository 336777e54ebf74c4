"""Models and results in other processes: plain pickle names what it cannot take, cloudpickle and joblib take it."""

import copy
import pickle
import subprocess
import sys
import warnings

import cloudpickle
import joblib
import numpy as np
import pytest

import supple as sp


def robot(*items):
    material = sp.Material(young=1e6, density=1000.0, viscosity=100.0)
    robot = sp.Robot("arm")
    robot.add_link("arm", sp.Rod(0.5, sp.Circle(0.01), material, sp.Legendre(bend_y=2), points=5))
    robot.add_link("hand", sp.Rigid.sphere(0.02, density=1000.0), joint=sp.Revolute("y"), parent="arm")
    robot.add(sp.JointDrive("motor", "hand"))
    for item in items:
        robot.add(item)
    return robot.compile()


def cases():
    """Everything that holds a function of a user; each a lambda with a closure."""
    k = 0.1
    return {
        "its law of time": sp.PointWrench("arm", lambda t: np.array([0, 0, 0, 0, 0, k * np.sin(t)]), name="gust"),
        "its law": sp.PointLaw("own", "arm", lambda t, g, eta, etadot, xi: -k * eta),
        "the law": sp.Spring("spring", ("arm", 1.0), ("world", 0.0), law=lambda l, rate: k * l + 0.1 * rate),
        "its functions": sp.Controller([0.0], lambda t, q, v, z: -z, lambda t, q, v, z: k * z, name="own"),
    }


def prescribed():
    robot = sp.Robot("turning")
    robot.add_link("bar", sp.Rigid(1.0, (0.1, 0.1, 0.1), com=(0.2, 0, 0)), joint=sp.Revolute("y"))
    robot.add_link("bob", sp.Rigid(1.0, (0.1, 0.1, 0.1), com=(0.2, 0, 0)), joint=sp.Revolute("y"), parent="bar")
    robot.add(sp.Prescribed("bar", lambda t: (np.sin(t), np.cos(t), -np.sin(t))))
    return robot.compile()


def models():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.ModelWarning)  # no tangents are given
        made = {what: robot(item) for what, item in cases().items()}
    return {**made, "its motion": prescribed()}


@pytest.fixture(scope="module")
def compiled():
    return models()


WHAT = ["its law of time", "its law", "the law", "its functions", "its motion"]


def moved(model):
    return model.simulate(np.linspace(0, 0.05, 3), method=sp.NDF(), progress=False).q


@pytest.mark.parametrize("what", WHAT)
def test_plain_pickle_names_the_culprit_and_cloudpickle_takes_it(compiled, what):
    model = compiled[what]
    with pytest.raises(sp.ModelError, match=f"{what}.* cannot be pickled .*lambda.*cloudpickle"):
        pickle.dumps(model)
    for other in (cloudpickle.loads(cloudpickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        np.testing.assert_array_equal(moved(other), moved(model))


def test_a_model_goes_to_the_workers_of_joblib(compiled):
    model = compiled["its law of time"]
    times = np.linspace(0.0, 1.0, 4)
    state = np.ones((3, model.n))
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(lambda t: model.residual(*state, t=t))(t) for t in times)
    np.testing.assert_array_equal(found, [model.residual(*state, t=t) for t in times])


def test_results_are_pickled_with_their_model(compiled):
    model = compiled["its law of time"]
    motion = model.simulate([0.0, 0.05], progress=False)
    with pytest.raises(sp.ModelError, match="PointWrench 'gust'"):
        pickle.dumps(motion)
    other = cloudpickle.loads(cloudpickle.dumps(motion))
    np.testing.assert_array_equal(other.energy(), motion.energy())
    found = cloudpickle.loads(cloudpickle.dumps(model.statics()))
    np.testing.assert_array_equal(found.q, model.statics().q)


def test_pickles_say_what_they_are_in_another_process(compiled, tmp_path):
    """The digest of a model that went to another process is that of this one."""
    file = tmp_path / "models"
    file.write_bytes(cloudpickle.dumps(compiled))
    script = "import pickle, sys; print({k: m.digest.parts for k, m in pickle.load(open(sys.argv[1], 'rb')).items()})"
    told = subprocess.run([sys.executable, "-c", script, str(file)], capture_output=True, text=True, check=True)
    assert eval(told.stdout) == {k: m.digest.parts for k, m in compiled.items()}
