"""Bridges cost nothing unless asked for, and say what to install."""

import subprocess
import sys

import pytest

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
