"""Random robots with random loads: every Jacobian against differences, products, threads, pickles, momentum."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import supple as sp
from helpers import STATES, central_difference, difference_jacobian, random_coordinates, relative_error, size
from load_cases import TIME, add_internal_loads, generalised_force, loaded_case

SEEDS = range(80)
FREE_SEEDS = range(40)

#: Against differences of sixth order; measured: below 1e-11.  Wider steps meet the kink of a soft limit's slope.
TOLERANCE, STEP = 1e-9, 2e-4


def residual(case, q=None, v=None, a=None, u=None):
    chosen = [given if given is not None else own for given, own in zip((q, v, a, u), case[2:], strict=True)]
    return case.model.residual(*chosen, t=TIME)


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_of_the_residual(seed):
    case = loaded_case(seed)
    model, q, v, a, u = case[1:]
    exact = model.residual_derivatives(q, v, a, u, t=TIME)
    floor = size(residual(case))
    assert relative_error(exact.dq, difference_jacobian(lambda x: residual(case, q=x), q, STEP), floor) < TOLERANCE
    assert relative_error(exact.dv, difference_jacobian(lambda x: residual(case, v=x), v, STEP), floor) < TOLERANCE
    assert relative_error(exact.da, difference_jacobian(lambda x: residual(case, a=x), a, STEP), floor) < TOLERANCE
    if model.nu:
        assert relative_error(exact.du, difference_jacobian(lambda x: residual(case, u=x), u, STEP), floor) < TOLERANCE


@pytest.mark.parametrize("seed", SEEDS)
def test_fused_tangent_and_products(seed):
    """R and T of one pass, T x and T^T x without the matrix."""
    model, q, v, a, u = loaded_case(seed)[1:]
    cv, ca = 20.0, 300.0
    exact = model.residual_derivatives(q, v, a, u, t=TIME)
    found, tangent = model.residual_tangent(q, v, a, u, t=TIME, cv=cv, ca=ca)
    assert relative_error(found, model.residual(q, v, a, u, t=TIME)) < 1e-11
    assert relative_error(tangent, exact.dq + cv * exact.dv + ca * exact.da) < 1e-12
    x = np.random.default_rng(seed).standard_normal(model.n)
    for transposed, matrix in ((False, tangent), (True, tangent.T)):
        product = model.tangent_product(q, v, a, x, cv, ca, transposed=transposed, u=u, t=TIME)
        assert size(product - matrix @ x) < 1e-12 * size(np.abs(matrix) @ np.abs(x))


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics(seed):
    """R = 0 at the accelerations, and M da = -dR, at the scale of the terms."""
    model, q, v, _, u = loaded_case(seed)[1:]
    a = model.forward_dynamics(q, v, u, TIME).a
    exact = model.residual_derivatives(q, v, a, u, t=TIME)
    terms = size(np.abs(exact.da) @ np.abs(a)) + size(model.residual(q, v, np.zeros(model.n), u, t=TIME))
    assert size(model.residual(q, v, a, u, t=TIME)) < 1e-12 * terms
    derivatives = model.forward_dynamics_derivatives(q, v, u, TIME)
    for found, block in zip(derivatives, (exact.dq, exact.dv, exact.du), strict=True):
        if block.size:
            terms = size(np.abs(exact.da) @ np.abs(found)) + size(block)
            assert size(exact.da @ found + block) <= 1e-12 * terms


@pytest.mark.parametrize("seed", range(0, 80, 4))
def test_each_load_alone(seed):
    model, q, v, a, u = loaded_case(seed)[1:]
    report = model.check_derivatives(q, v, a, u, TIME)
    assert {row.load for row in report.rows} == {"total", *(load.name for load in model.loads)}
    assert report.ok(1e-8), str(report)


def momentum_rate(model, q, v, a):
    return central_difference(lambda t: model.momentum(q + t * v, v), 1e-3) + model.momentum(q, a)


@pytest.mark.parametrize("seed", FREE_SEEDS)
def test_internal_loads_do_not_push_a_free_robot(seed):
    """Generalised forces on the free base vanish, load by load."""
    case = loaded_case(seed, internal_only=True)
    model = case.model
    base = model.layouts[model.link_names.index("link0")].coordinates[:6]
    for load in model.loads:
        force = generalised_force(model, case.q, case.v, case.u, name=load.name)
        if size(force) > 0.0:
            # the terms that cancel: the tension of a spring is about 20 N/m times metres
            assert size(force[base]) < 1e-12 * max(size(force), 20.0)


@pytest.mark.parametrize("seed", FREE_SEEDS)
def test_momentum_of_a_free_robot_is_conserved(seed):
    """The base's rows of the bare inverse dynamics are the rate of momentum."""
    case = loaded_case(seed, internal_only=True)
    model, q, v, u = case.model, case.q, case.v, case.u
    bare = sp.Robot("bare", gravity=(0.0, 0.0, 0.0))
    for link in case.robot.links:
        bare.add_link(link.name, link.body, joint=link.joint, parent=link.parent, at=link.at)
    bare = bare.compile()
    a = model.forward_dynamics(q, v, u).a
    base = model.layouts[model.link_names.index("link0")].coordinates[:6]
    M = model.mass_matrix(q)
    terms = size(np.abs(M) @ np.abs(a)) + size(bare.inverse_dynamics(q, v, np.zeros(model.n)))
    assert size(bare.inverse_dynamics(q, v, a)[base]) < 1e-12 * terms
    rate = momentum_rate(bare, q, v, a)
    assert size(rate) < 1e-7 * (size(bare.momentum(q, a)) + size(bare.momentum(q, v)) + terms)


# ---------------------------------------------------------------------- pickles and threads


def constant_case(seed):
    """A case whose laws are all constant."""
    rng = np.random.default_rng([5, seed])
    case = loaded_case(seed)
    robot = sp.Robot("constant", gravity=case.robot.gravity)
    for link in case.robot.links:
        robot.add_link(link.name, link.body, joint=link.joint, parent=link.parent, at=link.at)
        robot.add(sp.PointWrench(link.name, rng.standard_normal(6), name=f"on_{link.name}"))
    add_internal_loads(rng, robot)
    model = robot.compile()
    q = random_coordinates(rng, robot, STATES[seed % len(STATES)])
    return model, q, *rng.standard_normal((2, model.n)), rng.uniform(0.5, 2.0, model.nu)


@pytest.mark.parametrize("seed", range(8))
def test_pickled_models_give_the_same_numbers(seed):
    model, *state = constant_case(seed)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.residual(*state), model.residual(*state))
    assert np.array_equal(copy.residual_tangent(*state)[1], model.residual_tangent(*state)[1])
    assert copy.line_lengths(state[0]) == model.line_lengths(state[0])
    assert copy.input_names == model.input_names


def test_a_pickled_model_works_in_another_process(tmp_path):
    """Addresses of kernels are not carried along."""
    model, *state = constant_case(3)
    assert {type(load.kernel).__name__ for load in model.loads} == {"LoadKernel"}
    path = tmp_path / "model.pickle"
    path.write_bytes(pickle.dumps((model, state)))
    script = "import pickle, sys; m, s = pickle.load(open(sys.argv[1], 'rb')); print(m.residual(*s).tobytes().hex())"
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == model.residual(*state).tobytes().hex()


def push(t):
    return np.array([0.0, 0.0, 0.0, t, 0.0, 0.0])


def pendulum():
    robot = sp.Robot("pendulum")
    robot.add_link("bob", sp.Rigid.sphere(0.1, density=1000.0, tip=sp.pose((0.5, 0.0, 0.0))), joint=sp.Spherical())
    return robot


def test_a_law_at_the_top_of_a_module_pickles():
    robot = pendulum()
    robot.add(sp.PointWrench("bob", push))
    model = robot.compile()
    copy = pickle.loads(pickle.dumps(model))
    state = np.ones((3, 3))
    assert np.array_equal(copy.residual(*state, t=2.0), model.residual(*state, t=2.0))
    assert not np.array_equal(copy.residual(*state, t=2.0), model.residual(*state, t=1.0))


def test_a_law_that_cannot_be_pickled_is_named():
    robot = pendulum()
    robot.add(sp.PointWrench("bob", push, name="good"))
    robot.add(sp.PointWrench("bob", lambda t: np.zeros(6), name="gust"))
    model = robot.compile()
    with pytest.raises(sp.ModelError, match=r"PointWrench 'gust': its law of time cannot be pickled .*lambda"):
        pickle.dumps(model)


def test_a_law_of_the_wrong_shape_is_refused():
    robot = pendulum()
    robot.add(sp.PointWrench("bob", lambda t: np.zeros(5)))
    model = robot.compile()
    with pytest.raises(sp.StateError, match="6 finite numbers"):
        model.residual(np.zeros(3), np.zeros(3), np.zeros(3))


def test_threads_with_different_inputs_do_not_disturb_each_other():
    """Inputs and signals live in the scratch of a thread."""
    model, q, v, a, _ = loaded_case(next(s for s in SEEDS if loaded_case(s).model.nu >= 3))[1:]
    inputs = np.random.default_rng(3).uniform(0.0, 50.0, (64, model.nu))
    times = np.linspace(0.0, 5.0, 64)
    expected = [model.residual(q, v, a, u, t=t) for u, t in zip(inputs, times, strict=True)]

    def work(which):
        return [model.residual(q, v, a, inputs[i], t=times[i]) for _ in range(5) for i in which]

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(work, (range(32), range(32, 64))))
    for half, results in zip((expected[:32], expected[32:]), found, strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(half * 5, results, strict=True))


# ---------------------------------------------------------------------- what loads refuse


def soft_robot(*items):
    robot = sp.Robot("r")
    material = sp.Material(young=1e6, density=1000.0)
    robot.add_link("arm", sp.Rod(0.5, sp.Circle(0.02), material, sp.Legendre(bend_y=1), points=3))
    for item in items:
        robot.add(item)
    return robot


ENDS = ("world", 0.0), ("arm", 1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sp.PointLaw("p", "arm", None), r"PointLaw 'p': law is missing: give a function of \(t, g"),
        (lambda: sp.PairLaw("p", *ENDS, None), r"PairLaw 'p': law is missing: give a function of \(t, h, eta\)"),
        (lambda: sp.PointLaw("p", "arm", 3.0), "PointLaw 'p': law is 3.0, must be a function"),
        (
            lambda: sp.PointLaw("p", "arm", lambda *x: None),
            "PointLaw 'p': law returns a wrong shape, None, must return",
        ),
        (lambda: sp.PointLaw("p", "arm", lambda *x: np.zeros(6) * 1j), "law returns a wrong shape, array"),
        (lambda: sp.PointLaw("p", "arm", max, uses="pose"), "uses is 'pose', must be a tuple"),
        (lambda: sp.PointLaw("p", "arm", max, s=[0.2, "x"]), "PointLaw 'p': s is .*, must be an array of real numbers"),
        (lambda: sp.Fluid(buoyancy="no"), "Fluid 'fluid': buoyancy is 'no', must be True or False"),
        (lambda: sp.Fluid(links="arm"), "Fluid 'fluid': links is 'arm', must be a sequence of names"),
        (lambda: sp.Fluid(drag={"arm": lambda s: "x"}), "drag at s = .* is 'x'"),
        (lambda: sp.Loop("l", ("arm", sp.pose()), ("world", sp.pose()), None), "Loop 'l': joint is None"),
        (
            lambda: sp.Loop("l", ("arm", sp.pose(), "x"), ("world", sp.pose())),
            "Loop 'l': a: s is 'x', must be a number",
        ),
        (lambda: sp.Tendon("t", {"arm": lambda X: (0, 0, 0)}), r"Tendon 't': route on link 'arm' must return \(y, z\)"),
        (lambda: sp.Tendon("t", {"arm": lambda X: 1 / 0}), r"route on link 'arm' must return .*\(division by zero\)"),
        (lambda: sp.Tendon("t", {"arm": (0.0, 0.01)}, until=0.2), "Tendon 't': until is 0.2, must be a dict"),
        (lambda: sp.Tendon("t", {"arm": (0.0, 0.01)}, slope=0.2), "Tendon 't': slope is 0.2, must map links"),
        (lambda: sp.Chamber("c", {"arm": (0.0, 0.01)}, lambda s: None), "Chamber 'c': area at s = .* is None"),
        (lambda: sp.Distributed("arm", lambda s: 1 / 0), "Distributed 'distributed': wrench at s = .* raised ZeroDiv"),
        (lambda: sp.PointWrench(["arm"], np.zeros(6)), r"PointWrench 'wrench': link is \['arm'\], must be the name"),
        (lambda: sp.PointWrench("arm", np.zeros(6), frame=np.zeros(2)), "frame is array"),
        (lambda: sp.Prescribed("arm", 3), "Prescribed 'arm'"),
        (lambda: sp.Spheres("arm", n=10**9), "Spheres: n is 1000000000, must be at most 10000"),
        (lambda: sp.Spheres("arm", at=5), "Spheres: at is 5, must be a sequence of numbers"),
        (lambda: sp.Tube((0, 0, 0), "x", 0.1, inside="yes"), "Tube"),
        (lambda: sp.Contact("c", sp.Spheres("arm"), sp.Plane(), 1.0, per_length=1), "per_length is 1, must be True"),
    ],
)
@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
def test_loads_name_what_is_wrong(make, message):
    with pytest.raises(sp.ModelError, match=message):
        soft_robot(make()).compile()


def test_stations_of_a_law_may_be_a_list_or_an_array():
    def law(t, g, eta, etadot, xi):
        return -eta

    def model(s):
        return soft_robot(sp.PointLaw("p", "arm", law, s=s, tangent=lambda *x: -np.eye(6), uses=("twist",))).compile()

    q, v = np.array([0.1, 0.2]), np.array([0.3, -0.4])
    forces = [
        model(s).residual(q, v, 0 * q) for s in ([0.2, 0.5], np.array([0.2, 0.5]), (0.2, 0.5), np.float32([0.5, 0.2]))
    ]
    assert relative_error(forces[1], forces[0]) == relative_error(forces[2], forces[0]) == 0.0
    assert relative_error(forces[3], forces[0]) < 1e-6
    alone = [model(s).residual(q, v, 0 * q) for s in (0.2, 0.5)]
    bare = soft_robot().compile().residual(q, v, 0 * q)
    assert relative_error(forces[0] - bare, sum(alone) - 2 * bare) < 1e-12


def test_a_pair_is_a_route():
    straight, given = (
        soft_robot(sp.Tendon("t", {"arm": route}), sp.Chamber("c", {"arm": route}, 1e-4)).compile()
        for route in ((0.003, 0.01), lambda X: (0.003, 0.01))
    )
    q = np.array([0.4, -0.3])
    assert relative_error(straight.actuation(q), given.actuation(q)) == 0.0
    sloped = soft_robot(sp.Tendon("t", {"arm": lambda X: (0.0, 0.1 * X)}, slope={"arm": (0.0, 0.1)})).compile()
    found = soft_robot(sp.Tendon("t", {"arm": lambda X: (0.0, 0.1 * X)})).compile()
    assert relative_error(sloped.actuation(q), found.actuation(q)) < 1e-12
