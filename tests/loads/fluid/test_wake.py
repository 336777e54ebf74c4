"""Wakes: Lighthill's theory as `Fluid`'s added mass and a wrench at the trailing edge."""

import numpy as np
import pytest

import supple as sp
from helpers import STATES, random_coordinates, random_robot, random_spd, relative_error
from load_cases import generalised_force, random_station


def planar_tail(head="base", at=None):
    """A planar free rod whose edge is at its tip, or (``head`` at the tip) at its base."""
    robot = sp.Robot("eel", gravity=(0.0, 0.0, 0.0))
    section = sp.Ellipse(semi_y=lambda s: 0.04 - 0.03 * s, semi_z=lambda s: 0.05 - 0.02 * s)
    if head == "tip":
        section = sp.Ellipse(semi_y=lambda s: 0.01 + 0.03 * s, semi_z=lambda s: 0.03 + 0.02 * s)
    material = sp.Material(young=2e4, poisson=0.5, density=1000.0)
    rod = sp.Rod(0.6, section, material, sp.Legendre(bend_z=3), points=8)
    robot.add_link("body", rod, joint=sp.Planar("z"), at=sp.pose() if at is None else at)
    return robot


def swimmer(**options):
    """A tail that a tendon bends, in water that it leaves behind."""
    robot = planar_tail()
    robot.add(sp.Tendon("pull", {"body": lambda X: (0.02, 0.0)}, until={"body": 0.3}))
    robot.add(sp.Fluid(added_mass=sp.AddedMass(y=1.0, z=1.0), **options))
    robot.add(sp.Wake("body", **options))
    return robot.compile()


def random_added_mass(rng):
    """Full, but without axial part."""
    M = random_spd(rng, 6, 0.3)
    M[3], M[:, 3] = 0.0, 0.0
    return M


@pytest.mark.parametrize("seed", range(24))
def test_derivatives_and_power(seed):
    """Tangents against differences; the power is the energy that flows away, -u e."""
    rng = np.random.default_rng([61, seed])
    while True:
        robot = random_robot(rng)
        link = robot.links[rng.integers(len(robot.links))]
        s = random_station(rng, link)
        if s > 0.0 or link.joint.dof:
            break
    M, head = random_added_mass(rng), ("base", "tip")[seed % 2]
    current = rng.standard_normal(3) if seed % 3 else np.zeros(3)
    robot.add(sp.Wake(link.name, M, s=s, head=head, current=current))
    model = robot.compile()
    q = random_coordinates(rng, robot, STATES[seed % len(STATES)])
    v, a = rng.standard_normal((2, model.n))
    report = model.check_derivatives(q, v, a)
    assert report.ok(1e-6), report
    eta = model.twist(q, v, link.name, s)
    eta[3:] -= model.pose(q, link.name, s)[:3, :3].T @ current
    u = eta[3] * (1.0 if head == "tip" else -1.0)
    if seed % 3 == 0:  # in still water
        force = generalised_force(model, q, v)
        assert force @ v == pytest.approx(-0.5 * u * eta @ M @ eta, abs=1e-12 * (1.0 + np.abs(force) @ np.abs(v)))


def test_force_of_the_textbook():
    """-m u w N + m w^2 T / 2, with T towards the head."""
    robot = planar_tail()
    robot.add(sp.Wake("body"))
    model, rng = robot.compile(), np.random.default_rng(3)
    q, v = rng.standard_normal((2, model.n))
    force = generalised_force(model, q, v)
    m = 1000.0 * np.pi * 0.03**2
    R = model.pose(q, "body")[:3, :3]
    T, N = -R[:, 0], R[:, 1]
    velocity = R @ model.twist(q, v, "body")[3:]
    u, w = velocity @ T, velocity @ N
    wrench = np.concatenate([np.zeros(3), R.T @ (-m * u * w * N + 0.5 * m * w**2 * T)])
    np.testing.assert_allclose(force, model.jacobian(q, "body").T @ wrench, rtol=1e-12)


def test_the_head_may_lie_at_either_end():
    """One body, described from head to tail and from tail to head, drifts and bends alike."""
    ends = []
    for head, s, at, way in (("base", 1.0, sp.pose(), 1.0), ("tip", 0.0, sp.pose((0.6, 0, 0), (0, 0, np.pi)), -1.0)):
        robot = planar_tail(head, at)
        robot.add(sp.Fluid(added_mass=sp.AddedMass(y=1.0, z=1.0)))
        robot.add(sp.Wake("body", s=s, head=head))
        model = robot.compile()
        v0 = np.zeros(model.n)
        v0[1:3] = -0.6 * way, 0.4 * way
        run = model.simulate([0.0, 0.4], None, v0, method=sp.NDF(rtol=1e-8, atol=1e-10))
        ends.append(np.concatenate([run.tip("body", s)[-1], run.tip("body", 1.0 - s)[-1]]))
    np.testing.assert_allclose(*ends, atol=1e-6)


def test_small_motions_feel_lighthills_lift():
    """-(d/dt + U d/dx)(m w) per metre with w = (d/dt + U d/dx) h and no force at the edge: slender-body theory.

    The couple of the added mass is a lift per metre and a force at the edge, which the wake takes away.
    """
    U, L, modes = 1.7, 0.6, 4
    stiffness = []
    for wet in (True, False):
        robot = sp.Robot("fin", gravity=(0.0, 0.0, 0.0))
        section = sp.Ellipse(semi_y=0.01, semi_z=lambda s: 0.05 - 0.02 * s)
        rod = sp.Rod(L, section, sp.Material(2e4, 0.5, density=1000.0), sp.Legendre(bend_z=modes - 1), points=24)
        robot.add_link("fin", rod)
        if wet:
            robot.add(sp.Fluid(added_mass=sp.AddedMass(y=1.0, z=1.0), current=(U, 0.0, 0.0)))
            robot.add(sp.Wake("fin", current=(U, 0.0, 0.0)))
        stiffness.append(robot.compile().residual_derivatives(*np.zeros((3, modes))))
    dq, dv, da = (getattr(stiffness[0], part) - getattr(stiffness[1], part) for part in ("dq", "dv", "da"))

    s = np.polynomial.Polynomial([0.0, 1.0])
    m = 1000.0 * np.pi * (0.05 - 0.02 * s) ** 2
    slopes = [np.polynomial.Legendre.basis(k, domain=[0, 1]).convert(kind=type(s)).integ() for k in range(modes)]
    shapes = [L * slope.integ() for slope in slopes]  # h, of coordinates that are curvature times L

    def projected(lift):
        """Integral over the rod of lift(h_j, h_j') h_i."""
        products = [[(lift(h, t) * g).integ()(1.0) * L for h, t in zip(shapes, slopes, strict=True)] for g in shapes]
        return np.array(products)

    assert relative_error(da, projected(lambda h, t: m * h)) < 1e-5
    assert relative_error(dv, projected(lambda h, t: U * (m * t + (m * h).deriv() / L))) < 1e-5
    assert relative_error(dq, projected(lambda h, t: U**2 * (m * t).deriv() / L)) < 1e-5


def edge(model, q, v):
    """Energy per metre of the water beside the edge, speed of the edge, and force on it in world axes."""
    R, eta = model.pose(q, "body")[:3, :3], model.twist(q, v, "body")
    u, w, m = -eta[3], eta[4], 1000.0 * np.pi * 0.03**2
    return 0.5 * m * w**2, u, R @ [-0.5 * m * w**2, -m * u * w, 0.0]


@pytest.fixture(scope="module")
def swum():
    """One second of swimming: model, times, motion."""
    model = swimmer()
    law = sp.laws.Sine(2.0, 1.0, -0.5 * np.pi, 2.0)
    return model, model.simulate(np.linspace(0.0, 1.0, 401), u=[law], method=sp.NDF(rtol=1e-9, atol=1e-11))


def rates(run, values):
    """Differences of fourth order inside the run."""
    h = run.t[1] - run.t[0]
    return (values[:-4] - 8.0 * values[1:-3] + 8.0 * values[3:-1] - values[4:]) / (12.0 * h)


def test_momentum_of_body_and_water_changes_by_the_edge_alone(swum):
    """Lighthill's theorem: d/dt (body + integral of m w N) = -m u w N + m w^2 T / 2 at the edge."""
    model, run = swum
    forces = np.array([edge(model, q, v)[2] for q, v in zip(run.q, run.v, strict=True)])
    changes = rates(run, run.momentum()[:, 3:])
    assert relative_error(changes, forces[2:-2]) < 1e-4
    torques = np.cross(run.tip("body"), forces)
    assert relative_error(rates(run, run.momentum()[:, :3]), torques[2:-2]) < 1e-4


def test_energy_goes_into_the_wake(swum):
    """d/dt (body + water) = power of the tendon - u m w^2 / 2."""
    model, run = swum
    powers = []
    for q, v, u in zip(run.q, run.v, run.u, strict=True):
        energy, speed, _ = edge(model, q, v)
        powers.append(model.actuation(q) @ u @ v - speed * energy)
    assert relative_error(rates(run, run.energy()[:, -1]), np.array(powers)[2:-2]) < 1e-4


def test_drifting_along_is_like_still_water():
    stream = np.array([0.4, -0.3, 0.0])
    ends = []
    for current in (np.zeros(3), stream):
        model = swimmer(current=current)
        v0 = np.zeros(model.n)
        v0[1:3] = current[:2]
        run = model.simulate([0.0, 0.5], None, v0, u=[3.0], method=sp.NDF(rtol=1e-8, atol=1e-10))
        ends.append(run.tip("body")[-1] - 0.5 * current)
    np.testing.assert_allclose(*ends, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"link": "nobody"}, "no link 'nobody'"),
        ({"link": "body", "head": "left"}, "Wake 'wake': head is 'left', must be \"base\" or \"tip\""),
        ({"link": "fin", "s": 0.0}, "link 'fin' does not move at s = 0: it leaves no wake"),
        ({"link": "hull"}, "link 'hull': the section at the edge of a rigid body is not known"),
        ({"link": "body", "added_mass": sp.AddedMass(x=1.0)}, "link 'body': added_mass has an axial part"),
        ({"link": "body", "added_mass": sp.Drag()}, "added_mass takes AddedMass"),
        ({"link": "body", "density": -1.0}, "density is -1"),
        ({"link": "body", "current": (1.0, 0.0)}, "current has shape"),
    ],
)
def test_bad_input(options, message):
    robot = planar_tail()
    robot.add_link("hull", sp.Rigid.sphere(0.1, density=1000.0), parent="body")
    robot.add_link("fin", robot.links[0].body)
    robot.add(sp.Wake(**options))
    with pytest.raises(sp.ModelError, match=message):
        robot.compile()
