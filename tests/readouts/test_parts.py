"""States and parts of a model: what is omitted is zero, a load alone, names of loads."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from supple.readouts import parts


@pytest.fixture(scope="module")
def model():
    robot = sp.Robot("arm")
    material = sp.Material(young=1e6, density=1000.0)
    robot.add_link("arm", sp.Rod(0.5, sp.Circle(0.03), material, sp.Legendre(bend_y=1), points=3), sp.Revolute("y"))
    robot.add_link("hand", sp.Rigid.sphere(0.05, density=500.0), parent="arm")
    robot.add(sp.PointWrench("hand", np.arange(6.0)))
    robot.add(sp.Tendon("tendon", {"arm": (0.0, 0.01)}))
    return robot.compile()


def test_what_is_omitted_is_zero(model):
    state = parts.make_state(model, np.ones(3))
    assert state.v.tolist() == state.a.tolist() == [0.0, 0.0, 0.0]
    assert (state.u, state.lam, state.t, state.z) == (None, None, 0.0, None)
    with pytest.raises(sp.StateError, match=r"v\[1\] \(arm\.bend_y_0\) is nan"):
        parts.make_state(model, np.ones(3), [0.0, np.nan, 0.0])


def test_a_load_alone_gives_its_own_force(model):
    q, v, a = 0.3 * np.random.default_rng(0).standard_normal((3, 3))
    state = parts.make_state(model, q, v, a, [2.0])
    alone = [parts.alone(model, i).residual(*state) for i in range(2)]
    bare = parts.unloaded(model).residual(*state)
    assert_allclose(bare + sum(alone), model.residual(*state), atol=1e-12)
    assert parts.alone(model, 0) is parts.alone(model, 0)


def test_parts_keep_the_inputs_and_multipliers_of_the_whole(model):
    part = parts.unloaded(model)
    assert (part.n, part.nu, part.nc, part.loads) == (model.n, model.nu, model.nc, ())


def test_loads_are_found_by_name(model):
    assert parts.load_labels(model) == ("wrench", "tendon")
    assert parts.find_load(model, "tendon", "line", (1,)) == 1
    with pytest.raises(sp.ModelError, match="model 'arm' has no line 'wrench'; it has: tendon"):
        parts.find_load(model, "wrench", "line", (1,))


def test_only_rods_have_strains(model):
    assert parts.rod_of(model, "arm").name == "arm"
    with pytest.raises(sp.ModelError, match=r"link 'hand' is rigid: strains and .* those of rods; rods are: arm"):
        parts.rod_of(model, "hand")
