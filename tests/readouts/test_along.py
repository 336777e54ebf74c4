"""Read-outs of equilibria and along motions and paths: those of the model, with an axis of times."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import supple as sp
from supple.readouts.along import stacked
from supple.readouts.results import Mass

STATIONS = [0.0, 0.4, 1.0]


def robot():
    made = sp.Robot("crawler")
    rubber = sp.Material(young=5e5, poisson=0.45, density=1100.0, viscosity=2e3)
    made.add_link("cart", sp.Rigid(0.2, 1e-3 * np.eye(3)), joint=sp.Prismatic("x"))
    made.add_link("arm", sp.Rod(0.3, sp.Circle(0.02), rubber, sp.Legendre(bend_y=2, bend_z=0)), parent="cart")
    made.add(sp.Prescribed("cart", lambda t: (0.1 * t**2, 0.2 * t, 0.2)))
    made.add(sp.Tendon("pull", {"arm": lambda X: (0.0, 0.012)}))
    made.add(sp.Chamber("cell", {"arm": lambda X: (0.005, 0.0)}, area=1e-4))
    floor = sp.Plane(height=-0.05)
    made.add(sp.Contact("floor", sp.Spheres("arm", n=7), floor, stiffness=2e3, friction=0.3, damping=0.2))
    made.add(sp.PointWrench("arm", lambda t: [0, 0, 0, 0, 0, 0.3 * t], name="lift"))
    return made.compile()


@pytest.fixture(scope="module")
def motion():
    return robot().simulate(np.linspace(0.0, 0.3, 7), u=lambda t: [t, 1e3])


def test_every_read_out_has_an_axis_of_times(motion):
    model, k = motion.model, 4
    state = motion.q[k], motion.v[k], motion.a[k], motion.u[k], None, motion.t[k]
    q, v, a, u, _, t = state
    assert np.array_equal(motion.reaction("arm")[k], model.reaction(q, "arm", v, a, u, t=t))
    assert np.array_equal(motion.reaction()[k], model.reaction(q, "world", v, a, u, t=t))
    assert np.array_equal(motion.strain("arm", STATIONS)[k], model.strain(q, "arm", STATIONS))
    assert motion.strain("arm", 0.4).shape == (7, 6)
    assert np.array_equal(motion.strain_rate("arm", 0.4)[k], model.strain_matrix("arm", 0.4) @ v)
    assert np.array_equal(motion.stress("arm", STATIONS).total[k], model.stress(q, "arm", STATIONS, v, u).total)
    inner = motion.inner_forces("arm", STATIONS)
    assert inner.shape == (7, 3, 6)
    assert np.array_equal(inner[k], model.inner_forces(q, "arm", STATIONS, v, a, u, t=t))
    assert np.array_equal(motion.center_of_mass().velocity[k], model.center_of_mass(q, v).velocity)
    assert motion.center_of_mass().jacobian.shape == (7, 3, model.n)
    assert motion.tensions()["pull"] == pytest.approx(motion.t)
    assert motion.volumes()["cell"][k] == model.volumes(q)["cell"]
    assert motion.line_lengths()["pull"][k] == model.line_lengths(q)["pull"]
    assert motion.power().loads["lift"][k] == pytest.approx(model.power(*state).loads["lift"])
    assert motion.power().rates.total.shape == (7,)
    assert np.array_equal(motion.points()[k], model.points(q))
    assert np.array_equal(motion.pose("arm", 0.3)[k], model.pose(q, "arm", 0.3))
    assert np.array_equal(motion.tip("arm"), motion.pose("arm")[:, :3, 3])


def test_pairs_of_a_contact_are_the_same_at_all_times(motion):
    forces = motion.contact("floor")
    model, m = motion.model, len(forces.a)
    assert 0 < m < 7
    assert forces.force.shape == (7, m, 3)
    assert forces.total.shape == (7, 6)
    assert forces.touching.any(axis=0).all()
    assert motion.contact("floor", every_pair=True).gap.shape == (7, 7)
    for k in range(7):
        assert np.array_equal(forces.total[k], model.contact(motion.q[k], "floor", motion.v[k]).total)
    assert forces.wrench_a.shape == (7, m, 6)
    assert np.allclose(forces.on("arm"), forces.total)
    assert np.allclose(forces.on("world"), -forces.total)


def test_an_equilibrium_knows_its_state():
    model = robot()
    found = model.statics([0.5, 2e3], t=1.0)
    assert np.array_equal(found.reaction("arm"), model.reaction(found.q, "arm", u=found.u, t=1.0))
    assert np.array_equal(found.contact("floor").total, model.contact(found.q, "floor").total)
    assert np.array_equal(found.tip("arm"), model.tip(found.q, "arm"))
    assert found.tensions() == {"pull": 0.5}
    weight = sum(model.mass.links.values()) * 9.81
    lifted = found.contact("floor").total[5] + found.reaction()[5] + 0.3
    assert lifted == pytest.approx(weight, rel=1e-8)
    assert found.power().balance == 0.0


def test_a_path_of_equilibria_has_an_axis_of_points():
    model = robot()
    path = model.equilibrium_path([0.5, 0.0])
    tensions = path.tensions()["pull"]
    assert tensions[0] == 0.0
    assert tensions[-1] == pytest.approx(0.5)
    assert path.reaction("arm").shape == (len(path), 6)
    assert path.tip("arm").shape == (len(path), 3)


def test_states_of_loads_are_those_of_the_motion():
    robot = sp.Robot("lagging", gravity=(0, 0, 0))
    robot.add_link("cart", sp.Rigid(1.0, np.eye(3)), joint=sp.Prismatic("x"))

    def law(t, g, eta, etadot, xi, z):
        return np.array([0, 0, 0, z[0], 0, 0])

    def rate(t, g, eta, etadot, xi, z):
        return np.array([1.0 - z[0]])

    robot.add(sp.PointLaw("lag", "cart", law, uses=(), state0=[0.0], rate=rate))
    motion = robot.compile().simulate(np.linspace(0.0, 1.0, 5), method=sp.NDF(rtol=1e-8, atol=1e-10))
    assert motion.power().loads["lag"] == pytest.approx((1.0 - np.exp(-motion.t)) * motion.v[:, 0], abs=1e-6)


def test_a_motion_without_its_model_says_so(motion, tmp_path):
    alone = sp.Trajectory.load(motion.save(tmp_path / "motion.npz"))
    for read in (alone.tensions, alone.reaction, alone.points, lambda: alone.contact("floor")):
        with pytest.raises(sp.ModelError, match="loaded without its model"):
            read()


def test_an_empty_motion_says_so(motion):
    from dataclasses import replace

    from supple.model.constraints import Multipliers

    empty = {name: getattr(motion, name)[:0] for name in ("t", "q", "v", "a", "u", "z", "efforts")}
    nothing = replace(motion, **empty, multipliers=Multipliers(np.zeros((0, 0)), {}))
    for read in (nothing.tensions, nothing.power, lambda: nothing.contact("floor")):
        with pytest.raises(sp.StateError, match="empty"):
            read()
    assert nothing.tip("arm").shape == (0, 3)


def test_wrong_names_are_refused_along_a_motion(motion):
    with pytest.raises(sp.ModelError, match="no contact 'wall'; it has: floor"):
        motion.contact("wall")
    with pytest.raises(sp.ModelError, match="no link 'leg'"):
        motion.reaction("leg")
    with pytest.raises(sp.ModelError, match="s is 2"):
        motion.strain("arm", 2)


def test_results_print_in_one_line(motion):
    found = robot().statics([0.5, 2e3])
    for thing in (motion, found, motion.contact("floor"), found.stress("arm", 0.5), motion.power(), found.model):
        assert len(repr(thing)) < 300
        assert "\n" not in repr(thing)
    assert repr(motion) == "<Trajectory of 'crawler': 7 points, 0 to 0.3 s, 5 coordinates, NDF>"
    assert repr(found).startswith("<Equilibrium of 'crawler': 5 coordinates, residual ")
    derivatives = found.model.residual_derivatives(found.q, found.q, found.q)
    assert repr(derivatives).startswith("<ResidualDerivatives: dq (5, 5), dv (5, 5)")


def test_stacking_keeps_names():
    rows = [Mass(1.0, {"a": 1.0}), Mass(2.0, {"a": 2.0})]
    assert stacked(rows).total.tolist() == [1.0, 2.0]
    assert stacked(rows).links["a"].tolist() == [1.0, 2.0]


def grasp():
    """A robot without laws of time, which can be pickled."""
    made = sp.Robot("grasp")
    rubber = sp.Material(young=5e5, poisson=0.45, density=1100.0, viscosity=2e3)
    made.add_link("arm", sp.Rod(0.3, sp.Circle(0.02), rubber, sp.Legendre(bend_y=2)), joint=sp.Revolute("y"))
    made.add(sp.Tendon("pull", {"arm": lambda X: (0.0, 0.012)}))
    made.add(sp.JointDrive("motor", "arm"))
    made.add(sp.Contact("floor", sp.Spheres("arm", n=7), sp.Plane(height=-0.01), stiffness=2e3, friction=0.3))
    made.add(sp.Fluid(drag=sp.Drag(), added_mass=sp.AddedMass()))
    return made.compile()


def readings(model, q):
    v, u = 0.3 * q + 0.1, np.array([1.0, 0.2])
    yield model.contact(q, "floor", v).total
    yield model.reaction(q, "arm", v, v, u)
    yield model.reaction_derivatives(q, "world", v, v, u).dq
    yield model.stress(q, "arm", [0.2, 0.9], v, u).total
    yield model.inner_forces(q, "arm", [0.2, 0.9], v, v, u)
    yield model.center_of_mass(q, v).jacobian
    yield np.array(list(model.power(q, v, v, u).loads.values()))


def test_a_pickled_model_reads_the_same():
    model = grasp()
    twin = pickle.loads(pickle.dumps(model))
    q = np.array([0.2, 0.1, -0.2, 0.3])
    for mine, yours in zip(readings(model, q), readings(twin, q), strict=True):
        assert np.array_equal(mine, yours)


def test_threads_do_not_disturb_one_another():
    model = grasp()
    states = 0.3 * np.random.default_rng(3).standard_normal((24, model.n))
    alone = [list(readings(grasp(), q)) for q in states[:6]]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda q: list(readings(model, q)), states))
    for mine, yours in zip(alone, together, strict=False):
        assert all(np.array_equal(x, y) for x, y in zip(mine, yours, strict=True))


def test_a_read_out_after_a_bad_call_is_the_same():
    model, q = grasp(), np.array([0.2, 0.1, -0.2, 0.3])
    before = list(readings(model, q))
    for bad in (np.full(model.n, np.nan), np.full(model.n, 1e200)):
        for read in (lambda x: model.contact(x, "floor"), lambda x: model.power(x, x, x), lambda x: model.reaction(x)):
            with pytest.raises(sp.StateError):
                read(bad)
    for mine, yours in zip(before, readings(model, q), strict=True):
        assert np.array_equal(mine, yours)
