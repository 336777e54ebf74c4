"""Bridges cost nothing unless asked for, and say what to install."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import supple as sp
from bridge_cases import TENSIONS, arm, arm_design

FRAMEWORKS = ("jax", "torch", "casadi")


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_supple_itself_loads_no_framework():
    code = f"import sys, supple; assert not {{'supple.bridges', *{FRAMEWORKS!r}}} & set(sys.modules)"
    done = run(code)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework_that_is_missing_is_named_with_the_remedy(name):
    code = f"import sys; sys.modules[{name!r}] = None; import supple.{name}"
    done = run(code)
    assert done.returncode == 1
    assert "MissingExtraError" in done.stderr
    assert f'pip install "supple[{name}]"' in done.stderr


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_every_bridge_offers_the_same(name):
    module = __import__(f"supple.{name}", fromlist=["x"])
    offered = {"equilibrium", "step", "rollout", "inverse_dynamics", "forward_dynamics", "pose", "tip"}
    assert offered | {"Function"} == set(module.__all__)
    assert all(getattr(module, function).__doc__ for function in offered)


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_functions_are_copied_with_what_holds_them_and_go_to_other_processes(name):
    """As those in a network whose copy is averaged, or that is saved, do."""
    module = __import__(f"supple.{name}", fromlist=["x"])
    model, design, times = arm(), arm_design(), np.linspace(0.0, 0.01, 3)
    functions = [
        (module.equilibrium(model), {"u": TENSIONS}),
        (module.equilibrium(design, threads=1), {"u": TENSIONS, "p": {"young": 3e5}}),
        (module.rollout(model, times, method=sp.BDF2(dt=0.005)), {"u": TENSIONS}),
        (module.tip(design, "arm"), {"q": np.full(model.n, 0.1)}),
    ]
    for function, given in functions:
        assert copy.copy(function) is copy.deepcopy({"layer": function})["layer"] is function
        again = pickle.loads(pickle.dumps(function))
        assert repr(again) == repr(function)
        found, expected = again(**given), function(**given)
        for x, y in zip(*(r if isinstance(r, tuple) else (r,) for r in (found, expected)), strict=True):
            assert np.array_equal(np.asarray(x), np.asarray(y))
