"""Models are copied, pickled and shared by threads, and no robot compiles anything."""

import copy
import gc
import importlib
import pickle
import pkgutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import supple as sp
import supple.core
from helpers import case, make_case
from model_calls import chain, everything, serial_chain, state
from reference_robots import floating_tree


def with_functions():
    """A robot described by functions that cannot be pickled."""
    robot = sp.Robot("functions")
    material = sp.Material(young=1e5, density=1000.0, viscosity=10.0)
    rod = sp.Rod(
        0.5,
        sp.Circle(lambda s: 0.05 - 0.02 * s**2),
        material,
        sp.Strain(bend_y=sp.CustomBasis(lambda s: [1.0, np.sin(3 * s)]), torsion=sp.Hat(2)),
        points=4,
        rest_strain=lambda s: (0.0, np.cos(s), 0.0, 1.0, 0.0, 0.0),
    )
    robot.add_link("rod", rod, joint=sp.Spherical(stiffness=2.0))
    stiffness = np.diag([1.0, 2.0, 3.0, 50.0, 60.0, 70.0])
    section = sp.Section(lambda s: (2 - s) * stiffness, lambda s: (2 - s) * np.diag([0.01, 0.01, 0.01, 5.0, 5.0, 5.0]))
    custom = sp.CustomBasis(stretch=lambda s: [s, s**2])
    robot.add_link("tip", sp.Rod(0.3, section, strain=custom), parent="rod")
    return robot


@pytest.mark.parametrize("build", [serial_chain, with_functions, floating_tree])
@pytest.mark.parametrize(
    "duplicate", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, copy.copy], ids=["pickle", "deepcopy", "copy"]
)
def test_copies_give_the_same_bits(build, duplicate):
    """The functions of the description are tabulated and dropped: everything left can be pickled."""
    model = build().compile()
    q, v, a = state(model)
    expected = everything(model, q, v, a)
    between = model.pose(q, model.link_names[-1], 0.123)
    twin = duplicate(model)
    del model
    gc.collect()
    assert np.array_equal(everything(twin, q, v, a), expected)
    assert np.array_equal(twin.pose(q, twin.link_names[-1], 0.123), between)
    assert not twin.stiffness.flags.writeable


def test_models_outlive_their_robots():
    """Kernels read arrays by address: nothing they point to may be collected."""
    models = [make_case(seed) for seed in range(8)]
    kept = [(case_.model, case_.q, case_.v, case_.a) for case_ in models]
    expected = [everything(*state_) for state_ in kept]
    del models
    gc.collect()
    _ = [np.random.default_rng(i).standard_normal(10_000) for i in range(50)]
    for state_, numbers in zip(kept, expected, strict=True):
        assert np.array_equal(everything(*state_), numbers)


def test_more_stations_than_are_remembered():
    """Chains to stations are kept per thread, the oldest dropped; an evicted one is rebuilt to the same bits."""
    model = chain()
    q = state(model)[0]
    stations = np.linspace(0.0, 1.0, 700)
    first = [model.pose(q, "rod", s) for s in stations]
    again = [model.pose(q, "rod", s) for s in stations]
    assert np.array_equal(first, again)


@pytest.mark.parametrize("seed", [3, 14, 30])
def test_two_threads_give_the_bits_of_one(seed):
    """One model shared: each thread has scratch of its own, kernels run without the interpreter lock."""
    _, model, _, _, _ = case(seed)
    states = [state(model, seed=k) for k in range(60)]
    alone = [everything(model, *x) for x in states]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda x: everything(model, *x), states))
    for x, y in zip(together, alone, strict=True):
        assert np.array_equal(x, y)


def kernels():
    """Every compiled function of the core, those that Python enters and those inside them."""
    names = [module.name for module in pkgutil.iter_modules(supple.core.__path__, "supple.core.")]
    found = {}
    for name in names:
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, Dispatcher):
                found[f"{value.__module__}.{value.__name__}"] = value
    return found


def test_another_robot_compiles_nothing():
    """Kernels are generic over robots: one signature each, whatever the robot, its size, its copy or its states."""
    everything(chain(), *state(chain()))
    before = {name: list(kernel.signatures) for name, kernel in kernels().items()}
    assert sum(map(bool, before.values())) > 5
    pendulum = sp.Robot("pendulum")
    pendulum.add_link("bob", sp.Rigid(1.0, np.ones(3)), joint=sp.Revolute("y"))
    for robot in (pendulum, with_functions(), floating_tree()):
        model = pickle.loads(pickle.dumps(robot.compile()))
        q, v, a = state(model)
        everything(model, q.tolist(), v, a)
    after = {name: list(kernel.signatures) for name, kernel in kernels().items()}
    assert after == before
