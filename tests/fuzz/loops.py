"""Statics of random robots with loops: rods and rigid links, springs, tendons, forces; from starts far from closed.

A loop is closed where the robot stands at some random configuration, so every robot here can be closed.  All joints
turn or are held by springs, so every robot has a place of least potential.  Whatever statics calls an equilibrium is
looked at again by other functions: forces by inverse dynamics, internal forces and rows of loops; stability by going a
little way in all directions.
"""

import warnings

import numpy as np

import supple as sp

from .report import Refused, Report, run

#: How far starts lie from a closed configuration (all coordinates, standard deviation).
SPREADS = (0.01, 0.1, 0.3, 1.0)


def campaign(count, seed, say=lambda text: None) -> Report:
    """Robots of ``count`` seeds, one start each; those that find no rest count as refused."""
    return run("loops", case, count, seed, say)


def case(seed):
    """One robot from one start."""
    rng = np.random.default_rng([1010, seed])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.ModelWarning)
        try:
            model, near, closures = looped_robot(rng)
        except sp.ConvergenceError as error:  # a loop that rest is too far from
            raise Refused(str(error)) from None
        u = rng.uniform(0.0, 3.0, model.nu)
        q0 = near + rng.choice(SPREADS) * rng.standard_normal(model.n)
        found = model.statics(u, q0=q0)
    check(model, found, closures)
    if not found.converged:
        raise Refused(found.message)


def check(model, found, closures):
    """What must hold of any result."""
    assert np.isfinite(found.q).all()
    if not found.converged:
        assert found.stable is None
        assert "no equilibrium" in found.message
        return
    zero, lam, free = np.zeros(model.n), np.asarray(found.multipliers), model.free_coordinates
    A = model.loop_jacobian(found.q)
    terms = model.inverse_dynamics(found.q, zero, zero), model.internal_force(found.q, zero, found.u), A.T @ lam
    forces = terms[0] - terms[1] - terms[2]
    scale = 1.0 + max(np.abs(term).max() for term in terms)
    assert np.abs(forces[free]).max() < 1e-7 * scale, f"unbalanced by {np.abs(forces).max():.2g}"
    assert np.abs(model.loop_error(found.q)).max() < 1e-9
    for loop in closures:
        assert gap(model, found.q, loop) < 1e-6, f"{loop.name!r} is open by {gap(model, found.q, loop):.2g}"
    if found.stable:
        check_stability(model, found)
    loose = found.free_directions
    assert np.abs(A @ loose).max(initial=0.0) < 1e-6 * (1.0 + np.abs(A).max())


def gap(model, q, loop):
    """How far a loop is open (rad, m), by the poses of its frames: rows that are dropped count like the others."""
    (a, at_a), (b, at_b) = loop.a, loop.b
    g = np.linalg.solve((np.eye(4) if b == "world" else model.pose(q, b)) @ at_b, model.pose(q, a) @ at_a)
    if isinstance(loop.joint, sp.Spherical):
        return np.linalg.norm(g[:3, 3])
    axis = np.eye(3)["xyz".index(loop.joint.axis)]
    apart = g[:3, 3] - (axis * g[:3, 3] if isinstance(loop.joint, sp.Cylindrical) else 0.0)
    return np.linalg.norm(g[:3, :3] @ axis - axis) + np.linalg.norm(apart)


def check_stability(model, found, length=1e-5):
    """Closed configurations a little way off a stable state: unbalanced forces push back, in whatever direction.

    The stiffness on what loops allow is taken from differences of forces, with the multipliers of the equilibrium.
    """
    free = model.free_coordinates
    A = model.loop_jacobian(found.q)[:, free]
    rows = np.linalg.svd(A)[2]
    basis = rows[np.linalg.matrix_rank(A, tol=1e-9 * np.abs(A).max()) :].T
    zero, lam, stiffness = np.zeros(model.n), np.asarray(found.multipliers), np.zeros((len(basis), basis.shape[1]))
    for k, direction in enumerate(basis.T):
        for sign in (1.0, -1.0):
            q = found.q.copy()
            q[free] += sign * length * direction
            for _ in range(3):
                q[free] -= np.linalg.pinv(model.loop_error_derivative(q)[:, free]) @ model.loop_error(q)
            stiffness[:, k] += sign * model.residual(q, zero, zero, found.u, lam)[free] / (2.0 * length)
    reduced = basis.T @ stiffness
    scale = np.sqrt(np.abs(reduced.diagonal()))
    values = np.linalg.eigvalsh(0.5 * (reduced + reduced.T) / scale[:, None] / scale)
    assert values.min(initial=1.0) > -1e-4, f"called stable, but a stiffness is {values.min():.2g} of others"


# ---------------------------------------------------------------------- robots


def looped_robot(rng):
    """A random robot with one or more loops, coordinates that close it, and the loops."""
    planar = rng.random() < 0.5
    chains = [[] for _ in range(int(rng.integers(1, 4)))]
    robot = sp.Robot("looped", gravity=(0.0, 0.0, -9.81) if rng.random() < 0.8 else (0.0, 0.0, 0.0))
    for k, chain in enumerate(chains):
        parent = "world"
        for i in range(int(rng.integers(2, 5))):
            name = f"link{k}{i}"
            at = sp.pose((0.3 * k, 0.0, 0.0), (0.0, rng.uniform(-2.0, 0.0), 0.0)) if i == 0 else None
            robot.add_link(name, _body(rng, planar), joint=_joint(rng, planar, i), parent=parent, at=at)
            chain.append(name)
            parent = name
    items = _loads(rng, robot, planar)
    bare = robot.compile()
    near = 0.3 * rng.standard_normal(bare.n)
    tips = {chain[-1]: bare.pose(near, chain[-1]) for chain in chains}
    for item in items:
        robot.add(item)
    ends, closures = list(tips), []
    for k, a in enumerate(ends):
        b = ends[k + 1] if k + 1 < len(ends) else "world"
        here = np.linalg.solve(tips[b], tips[a]) if b != "world" else tips[a]
        joint = _closure(rng, planar)
        turn = sp.pose() if not isinstance(joint, sp.Spherical) else sp.pose(rpy=rng.uniform(-3.0, 3.0, 3))
        closures.append(sp.Loop(f"loop{k}", a=(a, sp.pose()), b=(b, here @ turn), joint=joint))
        robot.add(closures[-1])
        if rng.random() < 0.4:
            break
    return robot.compile(), near, closures


def _body(rng, planar):
    length = rng.uniform(0.1, 0.4)
    if rng.random() < 0.4:
        return sp.Rigid.cylinder(length, 0.01, density=1000.0)
    strain = {"bend_y": int(rng.integers(1, 4))}
    if rng.random() < 0.4:
        strain |= {"stretch": 0}
    if not planar:
        strain |= {"bend_z": int(rng.integers(1, 3)), "torsion": int(rng.integers(0, 2))}
    young = 10.0 ** rng.uniform(5.5, 9.0)
    material = sp.Material(young=young, density=1000.0, damping_time=0.01)
    return sp.Rod(length, sp.Circle(rng.uniform(0.004, 0.012)), material, sp.Legendre(**strain), points=6)


def _joint(rng, planar, place):
    spring = {} if rng.random() < 0.5 else {"stiffness": 10.0 ** rng.uniform(-1.5, 1.0)}
    kinds = ["hinge", "hinge", "fixed"] if place else ["hinge"]
    kind = rng.choice(kinds if planar else [*kinds, "ball", "universal"])
    if kind == "ball":
        return sp.Spherical(**spring)
    if kind == "universal":
        return sp.Universal("y", "z", **spring)
    if kind == "fixed":
        return sp.Fixed()
    return sp.Revolute("y" if planar else str(rng.choice(["x", "y", "z"])), **spring)


def _closure(rng, planar):
    if planar:
        return sp.Revolute("y") if rng.random() < 0.7 else sp.Spherical()
    return [sp.Spherical(), sp.Spherical(), sp.Revolute("y"), sp.Cylindrical("x")][rng.integers(4)]


def _loads(rng, robot, planar):
    """Tendons along some rods, and forces on some links."""
    items = []
    for link in robot.links:
        if isinstance(link.body, sp.Rod) and rng.random() < 0.3:
            items.append(sp.Tendon(f"tendon {link.name}", {link.name: lambda X: (0.0 * X, 0.003 + 0.0 * X)}))
        if rng.random() < 0.2:
            force = rng.uniform(-1.0, 1.0, 3) * (1.0, 0.0 if planar else 1.0, 1.0)
            items.append(sp.PointWrench(link.name, [0.0, 0.0, 0.0, *force]))
    return items
