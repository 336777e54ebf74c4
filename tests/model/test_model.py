"""The compiled model at its border: names, shapes, bad states, charts."""

import re

import numpy as np
import pytest

import supple as sp
import supple.core
from helpers import relative_error
from model_calls import CALLS, chain, everything, flat, state
from reference_robots import floating_tree

every_call = pytest.mark.parametrize("name", CALLS)


# ---------------------------------------------------------------------- names and shapes


def test_names():
    model = floating_tree().compile()
    assert model.n == 80
    assert (model.nu, model.nc, model.input_names) == (0, 0, ())
    assert model.link_names[:3] == ("body", "left", "left_rod0")
    assert len(model.link_names) == 9
    assert len(set(model.coordinate_names)) == 80
    assert model.coordinate_names[:7] == (*(f"body.{x}" for x in ("wx", "wy", "wz", "x", "y", "z")), "left.rotation")
    assert model.coordinate_names[7:12] == (*(f"left_rod0.torsion_{k}" for k in range(4)), "left_rod0.bend_y_0")
    assert repr(model) == "<Model 'tree80': 9 links, 80 coordinates>"
    assert "left_rod0" in str(model)


def test_point_table():
    """One body frame for a rigid link; base, Gauss nodes and tip for a rod, with extra points among them."""
    robot = sp.Robot("table")
    robot.add_link("body", sp.Rigid(1.0, np.ones(3)), joint=sp.Revolute("x"))
    material = sp.Material(young=1e5, density=1000.0)
    rod = sp.Rod(0.5, sp.Circle(0.05), material, sp.Legendre(bend_y=1), points=2, extra_points=(0.5,))
    robot.add_link("rod", rod, parent="body")
    model = robot.compile()
    node = 0.5 / np.sqrt(3.0)
    assert [link for link, _ in model.point_table] == ["body"] + ["rod"] * 5
    assert [s for _, s in model.point_table] == pytest.approx([0.0, 0.0, 0.5 - node, 0.5, 0.5 + node, 1.0])
    assert model.points(np.zeros(3)).shape == (6, 4, 4)


def test_shapes_of_results():
    model = chain()
    q, v, a = state(model)
    n = model.n
    assert model.inverse_dynamics(q, v, a, t=1.0).shape == (n,)
    assert [x.shape for x in model.inverse_dynamics_derivatives(q, v, a)] == [(n,), (n, n), (n, n), (n, n)]
    assert model.inverse_dynamics_derivatives(q, v, a)._fields == ("force", "dq", "dv", "mass")
    assert model.mass_matrix(q).shape == model.stiffness.shape == model.damping.shape == (n, n)
    assert model.actuation(q).shape == (n, 0)
    assert [x.shape for x in model.residual_tangent(q, v, a)] == [(n,), (n, n)]
    assert [x.shape for x in model.residual_derivatives(q, v, a)] == [(n, n), (n, n), (n, n), (n, 0), (n, 0)]
    assert [x.shape for x in model.forward_dynamics(q, v)] == [(n,), (0,), (0,)]
    assert [x.shape for x in model.forward_dynamics_derivatives(q, v)] == [(n, n), (n, n), (n, 0)]
    assert [x.shape for x in model.internal_force_derivatives(q, v)] == [(n, n), (n, n), (n, 0)]
    assert model.pose(q, "rod").shape == (4, 4)
    assert model.jacobian(q, "rod").shape == model.jacobian_rate(q, v, "rod").shape == (6, n)
    assert model.twist(q, v, "rod").shape == model.momentum(q, v).shape == (6,)
    assert all(type(x) is float for x in model.energy(q, v))


@every_call
def test_states_may_be_anything_with_numbers(name):
    """Lists, integers, read-only, strided and misaligned arrays give the numbers that plain arrays give."""
    call, _ = CALLS[name]
    model = chain()
    q, v, a = np.round(4 * state(model)) / 4
    expected = flat(call(model, q, v, a))
    frozen = [x.copy() for x in (q, v, a)]
    for x in frozen:
        x.setflags(write=False)
    wide = np.zeros((3, 2 * model.n))
    wide[:, ::2] = q, v, a
    misaligned = [np.frombuffer(b"\0" + x.tobytes(), dtype=np.uint8)[1:].view(np.float64) for x in (q, v, a)]
    assert not misaligned[0].flags.aligned
    forms = ([x.tolist() for x in (q, v, a)], frozen, wide[:, ::2], misaligned, np.float32([q, v, a]))
    for form in forms:
        assert np.array_equal(flat(call(model, *form)), expected)


@every_call
def test_inputs_are_left_alone_and_results_are_the_callers(name):
    call, _ = CALLS[name]
    model = chain()
    q, v, a = states = state(model)
    before = states.copy()
    first = call(model, q, v, a)
    kept = flat(first).copy()
    call(model, 0.5 * q, v, a)
    assert np.array_equal(states, before)
    assert np.array_equal(flat(first), kept)


def test_the_same_call_gives_the_same_bits_again():
    """Scratch left by other calls has no influence."""
    model = chain()
    q, v, a = state(model)
    first = everything(model, q, v, a)
    everything(model, 3.0 * q, -v, 10.0 * a)
    assert np.array_equal(everything(model, q, v, a), first)


def test_models_are_immutable():
    model = chain()
    for array in (model.stiffness, model.damping, model.rest, *model.topology, *model.parameters):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


# ---------------------------------------------------------------------- bad input


@every_call
def test_wrong_shapes(name):
    call, takes = CALLS[name]
    model = chain()
    q, v, a = state(model)
    for which in takes:
        for wrong in (np.zeros(model.n - 1), np.zeros(model.n + 1), np.zeros((1, model.n - 1)), 0.0, []):
            states = dict(zip("qva", (q, v, a), strict=True)) | {which: wrong}
            with pytest.raises(sp.ShapeError, match=rf"has shape .* needs \({model.n},\)"):
                call(model, *states.values())


@every_call
def test_states_that_are_no_numbers(name):
    call, takes = CALLS[name]
    model = chain()
    for which in takes:
        states = dict(zip("qva", state(model), strict=True)) | {which: ["a"] * model.n}
        with pytest.raises(sp.ShapeError, match=f"{which} must be {model.n} real numbers"):
            call(model, *states.values())


@every_call
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(name, bad):
    """Whatever entry of whatever state it is, the error names state, index and coordinate."""
    call, takes = CALLS[name]
    model = chain()
    for which in takes:
        for i, coordinate in enumerate(model.coordinate_names):
            states = dict(zip("qva", state(model), strict=True))
            states[which][i] = bad
            with pytest.raises(sp.StateError, match=rf"{which}\[{i}\] \({re.escape(coordinate)}\) is {bad}; .*finite"):
                call(model, *states.values())


def test_the_vector_of_a_product_is_checked_too():
    model = chain()
    q, v, a = state(model)
    x = np.ones(model.n)
    x[2] = np.nan
    with pytest.raises(sp.StateError, match=r"x\[2\] \(helical\.rotation\) is nan"):
        model.tangent_product(q, v, a, x)
    with pytest.raises(sp.ShapeError, match="x has shape"):
        model.tangent_product(q, v, a, x[:-1])


def test_overflow_names_the_largest_entry():
    model = chain()
    q, v, a = state(model)
    v[3] = 1e200
    with pytest.raises(sp.StateError, match=r"overflows.*v\[3\] \(cylindrical\.rotation\) = 1e\+200"):
        model.inverse_dynamics(q, v, a)


@pytest.mark.parametrize("function", ["pose", "jacobian"])
def test_unknown_links_and_stations(function):
    model = chain()
    call, q = getattr(model, function), state(model)[0]
    with pytest.raises(sp.ModelError, match="there is no link 'arm'; links are: revolute, "):
        call(q, "arm")
    for s in (-0.1, 1.1, np.nan):
        with pytest.raises(sp.ModelError, match=r"link 'rod': s is .*, must lie between 0 and 1"):
            call(q, "rod", s)
    with pytest.raises(sp.ModelError, match=r"link 'free': s is 0\.5, but the link is rigid"):
        call(q, "free", 0.5)


def test_inputs_and_multipliers_that_do_not_exist():
    model = chain()
    q, v, a = state(model)
    for call in (
        lambda u: model.internal_force(q, v, u),
        lambda u: model.internal_force_derivatives(q, v, u),
        lambda u: model.residual(q, v, a, u),
        lambda u: model.residual_tangent(q, v, a, u),
        lambda u: model.residual_derivatives(q, v, a, u),
        lambda u: model.forward_dynamics(q, v, u),
        lambda u: model.forward_dynamics_derivatives(q, v, u),
    ):
        call(np.zeros(0))
        with pytest.raises(sp.ShapeError, match=r"u has shape \(1,\), model 'chain' needs \(0,\)"):
            call([1.0])
    for call in (model.residual, model.residual_tangent, model.residual_derivatives):
        with pytest.raises(sp.ShapeError, match=r"lam has shape \(2,\), model 'chain' needs \(0,\)"):
            call(q, v, a, None, [1.0, 2.0])


def test_errors_are_value_errors_too():
    """Code that knows nothing of supple catches them by their standard types."""
    model = chain()
    with pytest.raises(ValueError, match="shape"):
        model.points(np.zeros(2))
    with pytest.raises(ValueError, match="finite"):
        model.points(np.full(model.n, np.nan))


# ---------------------------------------------------------------------- compilation


def test_small_robots_work():
    """One coordinate; a rod alone; a body fixed to the world beside something that moves."""
    robot = sp.Robot("small")
    robot.add_link("wall", sp.Rigid(1.0, np.ones(3)), at=sp.pose((1, 2, 3)))
    robot.add_link("bob", sp.Rigid(2.0, np.zeros(3), com=(0.5, 0, 0)), joint=sp.Revolute("z"), parent="wall")
    model = robot.compile()
    assert model.mass_matrix([0.3]) == pytest.approx(np.array([[0.5]]))
    assert relative_error(model.pose([0.3], "wall"), sp.pose((1, 2, 3))) < 1e-15
    assert not model.jacobian([0.3], "wall").any()


def test_states_that_a_cast_would_spoil_are_refused():
    """A complex step would silently lose its imaginary part, a NaN coefficient spoil the tangent."""
    model = _one_joint()
    zero = np.zeros(model.n)
    with pytest.raises(sp.ShapeError, match=r"q must be .* real numbers"):
        model.mass_matrix(zero + 1e-30j)
    with pytest.raises(sp.StateError, match="cv is nan"):
        model.residual_tangent(zero, zero, zero, cv=np.nan)
    with pytest.raises(sp.StateError, match="ca is inf"):
        model.tangent_product(zero, zero, zero, zero, ca=np.inf)


def test_stations_that_are_no_stations_are_refused():
    model = _one_joint()
    with pytest.raises(sp.ModelError, match="s is 'tip', must be a number"):
        model.pose(np.zeros(model.n), "ball", "tip")
    with pytest.raises(sp.ModelError, match=r"there is no link \['ball'\]"):
        model.pose(np.zeros(model.n), ["ball"])


def test_a_full_turn_of_a_rotation_vector_is_singular_and_rewrap_cures_it():
    model = _one_joint()
    q, v = np.array([2.0 * np.pi, 0.0, 0.0]), np.array([1.0, 0.0, 0.0])
    with pytest.raises(sp.SingularError, match=r"ball\.wy.*rewrap"):
        model.forward_dynamics(q, v)
    wrapped, rates = model.rewrap(q, v)
    np.testing.assert_allclose(wrapped, 0.0, atol=1e-15)
    np.testing.assert_allclose(rates, v, rtol=1e-12)
    assert np.isfinite(model.forward_dynamics(wrapped, rates).a).all()


def test_rewrap_keeps_poses_and_twists_and_shortens_rotation_vectors():
    robot = sp.Robot("chain")
    body = sp.Rigid(1.0, [1.0, 2.0, 2.5])
    robot.add_link("a", body, joint=sp.Free())
    robot.add_link("b", body, joint=sp.Planar("y"), parent="a")
    robot.add_link("c", body, joint=sp.Spherical(), parent="b")
    robot.add_link("d", body, joint=sp.Spherical(stiffness=1.0), parent="c")
    model = robot.compile()
    rng = np.random.default_rng(0)
    q, v = 4.0 * rng.normal(size=model.n), rng.normal(size=model.n)
    q[12:15] = 4.0, 2.0, 1.0
    wrapped, rates = model.rewrap(q, v)
    np.testing.assert_allclose(model.points(wrapped), model.points(q), atol=1e-13)
    np.testing.assert_allclose(model.twist(wrapped, rates, "d"), model.twist(q, v, "d"), atol=1e-11)
    for turn in (wrapped[0:3], wrapped[6:7], wrapped[9:12]):
        assert np.linalg.norm(turn) <= np.pi
    assert np.array_equal(wrapped[12:15], q[12:15]), "a joint with a spring keeps its own coordinates"


def _one_joint():
    robot = sp.Robot("one")
    robot.add_link("ball", sp.Rigid(1.0, [1.0, 2.0, 2.5]), joint=sp.Spherical())
    return robot.compile()
