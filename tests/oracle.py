"""Inverse dynamics and its derivatives, transcribed from the paper line by line: slow, plain, in local frames.

Mathew, Boyer, Lebastard, Renda: *Analytical derivatives for efficient mechanical simulations of hybrid soft rigid
robots*.  Equation numbers are the paper's: the recursion (14)-(34), its extension to trees (39)-(42), the tangent
operator with f_1 .. f_4 of appendix A, the derivatives C1-C29 of appendix C.  Nothing here is shared with the fast
core, which works in world axes, with Stumpff functions and dual numbers, and without half of appendix C.

Printing errors mended (each by finite differences):

* C3: the last term is sqrt(3) h^2/6 ad_{xid_1} xid_2 (a dot is missing);
* C24: derived anew in `derivative_of_Sd_qd` (garbled, and one term is missing);
* C29: the subscript in the first line is T^T F^C (the transpose is lost);
* (2c): ad_eta instead of Ad_eta.

Where the paper divides by theta, the quotients f_r'/theta and (f_r'' - f_r'/theta)/theta^2 are taken as one function:
they have limits at theta = 0.  They are evaluated in 60 digits, or by their series at small angles.
"""

from __future__ import annotations

from typing import NamedTuple

import mpmath
import numpy as np

RIGID_KINDS = (0, 1)  # joints; 2 is a rod

#: Angle below which the series replace the closed forms (27 of 60 digits cancel there).
SERIES_ANGLE = 1e-3

#: Selects the angular part: theta^2 = Omega^T I_theta Omega.
I_THETA = np.diag([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])


class InverseDynamics(NamedTuple):
    """What the paper's recursion yields."""

    ID: np.ndarray  #: (n,), eq. 14
    dID_dq: np.ndarray  #: (n, n), eq. 42a
    dID_dqd: np.ndarray  #: (n, n), eq. 42b
    M: np.ndarray  #: (n, n), eq. 42c
    F: np.ndarray  #: (n,), Coriolis and gravity on the right-hand side: ID = M qdd - F
    g: np.ndarray  #: (n_segments, 4, 4), pose of the end of each segment
    J: np.ndarray  #: (n_segments, 6, n), body Jacobian there, eq. 28a


# ---------------------------------------------------------------------- appendix A


def tilde(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def ad(V):
    return np.block([[tilde(V[:3]), np.zeros((3, 3))], [tilde(V[3:]), tilde(V[:3])]])


def coad(V):
    return np.block([[tilde(V[:3]), tilde(V[3:])], [np.zeros((3, 3)), tilde(V[:3])]])


def coadbar(V):
    return -np.block([[tilde(V[:3]), tilde(V[3:])], [tilde(V[3:]), np.zeros((3, 3))]])


def Ad(g):
    R, r = g[:3, :3], g[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [tilde(r) @ R, R]])


def coAd(g):
    R, r = g[:3, :3], g[:3, 3]
    return np.block([[R, tilde(r) @ R], [np.zeros((3, 3)), R]])


def inverse(g):
    R, r = g[:3, :3], g[:3, 3]
    return np.block([[R.T, -(R.T @ r)[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])


def power(A, r):
    return np.linalg.matrix_power(A, r)


def exponential(Omega):
    """exp of a twist: I + hat + (1 - cos)/theta^2 hat^2 + (theta - sin)/theta^3 hat^3."""
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = tilde(Omega[:3]), Omega[3:]
    theta = float(np.sqrt(Omega @ I_THETA @ Omega))
    x = theta**2
    if theta < SERIES_ANGLE:
        second, third = 1 / 2 - x / 24 + x**2 / 720, 1 / 6 - x / 120 + x**2 / 5040
    else:
        with mpmath.workdps(60):
            t = mpmath.mpf(theta)
            second, third = float((1 - mpmath.cos(t)) / t**2), float((t - mpmath.sin(t)) / t**3)
    return np.eye(4) + matrix + second * power(matrix, 2) + third * power(matrix, 3)


def factors(theta):
    """f_r, f_r'/theta and (f_r'' - f_r'/theta)/theta^2 for r = 1..4, each (4,)."""
    return _factors_by_series(theta) if theta < SERIES_ANGLE else _factors_in_closed_form(theta)


def _factors_in_closed_form(theta):
    with mpmath.workdps(60):
        t = mpmath.mpf(theta)
        s, c = mpmath.sin(t), mpmath.cos(t)
        f = (
            (4 - 4 * c - t * s) / (2 * t**2),
            (4 * t - 5 * s + t * c) / (2 * t**3),
            (2 - 2 * c - t * s) / (2 * t**4),
            (2 * t - 3 * s + t * c) / (2 * t**5),
        )
        df = (
            (-8 + (8 - t**2) * c + 5 * t * s) / (2 * t**3),
            (-8 * t + (15 - t**2) * s - 7 * t * c) / (2 * t**4),
            (-8 + (8 - t**2) * c + 5 * t * s) / (2 * t**5),
            (-8 * t + (15 - t**2) * s - 7 * t * c) / (2 * t**6),
        )
        ddf = (
            (24 - (24 - 6 * t**2) * c - (18 * t - t**3) * s) / (2 * t**4),
            (24 * t - (60 - 9 * t**2) * s + (36 * t - t**3) * c) / (2 * t**5),
            (40 - (40 - 8 * t**2) * c - (28 * t - t**3) * s) / (2 * t**6),
            (40 * t - (90 - 11 * t**2) * s + (50 * t - t**3) * c) / (2 * t**7),
        )
        first = [d / t for d in df]
        second = [(dd - d / t) / t**2 for d, dd in zip(df, ddf, strict=True)]
        return tuple(np.array([float(x) for x in row]) for row in (f, first, second))


def _factors_by_series(theta):
    """The same from f_r = sum_j a_j x^j, x = theta^2: f'/theta = 2 df/dx, (f'' - f'/theta)/theta^2 = 4 d2f/dx2."""
    x = theta**2
    factorial = [float(mpmath.factorial(k)) for k in range(16)]
    rows = [
        [(-1) ** j * (j - 2) / factorial[2 * j] for j in range(1, 7)],
        [(-1) ** j * (j - 2) / factorial[2 * j + 1] for j in range(1, 7)],
        [(-1) ** j * (j - 1) / factorial[2 * j] for j in range(2, 8)],
        [(-1) ** j * (j - 1) / factorial[2 * j + 1] for j in range(2, 8)],
    ]
    series = [np.polynomial.Polynomial(row) for row in rows]
    return (
        np.array([f(x) for f in series]),
        np.array([2 * f.deriv(1)(x) for f in series]),
        np.array([4 * f.deriv(2)(x) for f in series]),
    )


def power_rate(A, Ad_, r):
    """d(A^r)/dt = sum_u A^(r-u) A' A^(u-1)."""
    return sum(power(A, r - u) @ Ad_ @ power(A, u - 1) for u in range(1, r + 1))


# ---------------------------------------------------------------------- appendix C: one virtual joint


class VirtualJoint:
    """Motion subspace of one joint or Magnus step, with all derivatives the recursion asks for (C1-C29)."""

    def __init__(self, strains, Phi, half, bracket, qd, qdd):
        """Strains, their rates and accelerations and Phi at the two collocation points (C1-C14).

        A rigid joint has Omega = Phi q: both strains are the same, half is 1/2 and the bracket is 0.
        """
        (xi1, xi2), (xid1, xid2), (xidd1, xidd2) = strains
        Phi1, Phi2 = Phi
        self.Phi, self.bracket, self.qd, self.qdd = Phi, bracket, qd, qdd
        self.Omega = half * (xi1 + xi2) + bracket * ad(xi1) @ xi2  # C1
        self.Omegad = half * (xid1 + xid2) + bracket * (ad(xi1) @ xid2 - ad(xi2) @ xid1)  # C2
        self.Omegadd = (
            half * (xidd1 + xidd2) + bracket * (ad(xi1) @ xidd2 - ad(xi2) @ xidd1) + 2.0 * bracket * ad(xid1) @ xid2
        )  # C3
        self.Z = half * (Phi1 + Phi2) + bracket * (ad(xi1) @ Phi2 - ad(xi2) @ Phi1)  # C5
        self.Zd = bracket * (ad(xid1) @ Phi2 - ad(xid2) @ Phi1)  # C8
        self.Zdd = bracket * (ad(xidd1) @ Phi2 - ad(xidd2) @ Phi1)  # C14
        np.testing.assert_allclose(self.Omegad, self.Z @ qd, atol=1e-12 + 1e-12 * np.abs(self.Omegad).max())  # C6
        self.g = exponential(self.Omega)
        self.A, self.Ad = ad(self.Omega), ad(self.Omegad)
        self.f, self.f1, self.f2 = factors(float(np.sqrt(self.Omega @ I_THETA @ self.Omega)))
        self.T = np.eye(6) + sum(self.f[r - 1] * power(self.A, r) for r in range(1, 5))
        rate = self.Omega @ I_THETA @ self.Omegad  # theta thetad
        self.Td = sum(
            self.f1[r - 1] * rate * power(self.A, r) + self.f[r - 1] * power_rate(self.A, self.Ad, r)
            for r in range(1, 5)
        )
        self.S = self.T @ self.Z  # C15
        self.Sd = self.Td @ self.Z + self.T @ self.Zd  # C21

    def derivative_of_power(self, r, y):
        """d(ad_Omega^r y)/dOmega at constant y (C18, without Z)."""
        total = np.zeros((6, 6))
        for u in range(1, r + 1):
            total -= power(self.A, u - 1) @ ad(power(self.A, r - u) @ y)
        return total

    def derivative_of_T(self, y):
        """d(T y)/dOmega at constant y: the first two sums of C19."""
        total = np.zeros((6, 6))
        for r in range(1, 5):
            total += self.f1[r - 1] * np.outer(power(self.A, r) @ y, self.Omega @ I_THETA)
            total += self.f[r - 1] * self.derivative_of_power(r, y)
        return total

    def derivative_of_S_qd(self):
        """(dS/dq) qd, C19."""
        return self.derivative_of_T(self.Omegad) @ self.Z + self.T @ self.Zd

    def derivative_of_S_qdd(self):
        """(dS/dq) qdd, C20."""
        return self.derivative_of_T(self.Z @ self.qdd) @ self.Z + self.T @ self.Zdd

    def derivative_of_Sd_qd(self):
        """(dSd/dq) qd = d(Td y)/dq + Td Zd + (dT/dq) Zd qd with y = Omegad held in the first term (C22, C24).

        Td y depends on Omega (varied by Z dq) and on Omegad (varied by Zd dq, C9)::

            Td y = sum_r  f_r'/theta (Omega . Omegad) ad^r y + f_r (ad^r)' y
        """
        A, Ad_, y = self.A, self.Ad, self.Omegad
        turn, turn_rate = self.Omega @ I_THETA, self.Omegad @ I_THETA
        s = turn @ self.Omegad
        total = np.zeros_like(self.Z)
        for r in range(1, 5):
            f, f1, f2 = self.f[r - 1], self.f1[r - 1], self.f2[r - 1]
            total += f2 * s * np.outer(power(A, r) @ y, turn @ self.Z)
            total += f1 * np.outer(power(A, r) @ y, turn_rate @ self.Z + turn @ self.Zd)
            total += f1 * s * self.derivative_of_power(r, y) @ self.Z
            total += f1 * np.outer(power_rate(A, Ad_, r) @ y, turn @ self.Z)
            for u in range(1, r + 1):
                inner = power(A, u - 1) @ y
                total += f * self.derivative_of_power(r - u, Ad_ @ inner) @ self.Z
                total -= f * power(A, r - u) @ ad(inner) @ self.Zd
                total += f * power(A, r - u) @ Ad_ @ self.derivative_of_power(u - 1, y) @ self.Z
        return total + self.Td @ self.Zd + self.derivative_of_T(self.Zd @ self.qd) @ self.Z

    def derivative_of_St(self, F):
        """(dS^T/dq) F at constant F, C29."""
        A = coad(self.Omega)
        Phi1, Phi2 = self.Phi
        bar = coadbar(self.T.T @ F)
        total = self.bracket * (Phi1.T @ bar @ Phi2 - Phi2.T @ bar @ Phi1)
        for r in range(1, 5):
            sign = (-1.0) ** r
            inner = sign * self.f1[r - 1] * np.outer(power(A, r) @ F, self.Omega @ I_THETA)
            for u in range(1, r + 1):
                inner += sign * self.f[r - 1] * power(A, u - 1) @ coadbar(power(A, r - u) @ F)
            total += self.Z.T @ inner @ self.Z
        return total


def virtual_joints(model, q, qd, qdd):
    """All segments of a model in order: (virtual joint, coordinates, parent segment, fixed transform before it)."""
    blocks, component = model.topology.blocks, model.topology.component
    p = model.parameters
    found = [None] * len(p.segments)
    for b, block in enumerate(blocks):
        n, own = int(block["n"]), np.arange(block["start"], block["start"] + block["n"])
        for i in range(int(block["count"])):
            s = int(block["first"]) + i
            if int(block["kind"]) in RIGID_KINDS:
                Phi = [p.screws[:, own]] * 2
                rest, half, bracket = np.zeros((2, 6)), 0.5, 0.0
            else:
                column = int(block["columns"]) + i * n
                Phi = [np.zeros((6, n)), np.zeros((6, n))]
                for j in range(n):
                    for m in range(2):
                        Phi[m][component[own[j]], j] = p.phi[m, column + j]
                segment = p.segments[s]
                rest, half, bracket = segment["rest"], segment["half"], segment["bracket"]
            strains = (
                [rest[m] + Phi[m] @ q[own] for m in range(2)],
                [Phi[m] @ qd[own] for m in range(2)],
                [Phi[m] @ qdd[own] for m in range(2)],
            )
            joint = VirtualJoint(strains, Phi, half, bracket, qd[own], qdd[own])
            fixed = np.eye(4)
            if i == 0:
                fixed[:3, :3], fixed[:3, 3] = p.placement[b]["R"], p.placement[b]["p"]
            found[s] = joint, own, (s - 1 if i > 0 else int(block["parent"])), fixed
    return found


# ---------------------------------------------------------------------- sections 4 and 5: the recursion


class Point:
    """A computational point: kinematics and (.)^B of the forward pass, (.)^C and (.)^S of the backward pass."""

    def __init__(self, n):
        self.g = np.eye(4)
        self.eta, self.etad = np.zeros(6), np.zeros(6)
        self.SB, self.RB, self.QB, self.YB = (np.zeros((6, n)) for _ in range(4))
        self.F, self.M, self.N = np.zeros(6), np.zeros((6, 6)), np.zeros((6, 6))
        self.FC, self.MC, self.NC = np.zeros(6), np.zeros((6, 6)), np.zeros((6, 6))
        self.PS, self.US, self.VS, self.WS = (np.zeros((6, n)) for _ in range(4))

    def carried_out(self, g, other):
        """Fill ``other``, a point at pose g relative to this one and fixed to it (rule 3 of section 5)."""
        back = Ad(inverse(g))
        other.g = self.g @ g
        other.eta, other.etad = back @ self.eta, back @ self.etad
        other.SB, other.RB, other.QB, other.YB = (back @ X for X in (self.SB, self.RB, self.QB, self.YB))
        return other

    def carried_in(self, g, other):
        """Add to this point what has been collected at ``other``, at pose g relative to it (22c-22g, 28c, 33)."""
        star, back = coAd(g), Ad(inverse(g))
        self.FC += star @ (other.F + other.FC)
        self.MC += star @ (other.M + other.MC) @ back
        self.NC += star @ (other.N + other.NC) @ back
        for name in ("PS", "US", "VS", "WS"):
            setattr(self, name, getattr(self, name) + star @ getattr(other, name))


def inverse_dynamics(model, q, qd, qdd) -> InverseDynamics:
    """ID, its Jacobians and F = M qdd - ID of a compiled model, from its arrays alone."""
    full = _recursion(model, q, qd, qdd)
    at_rest = _recursion(model, q, qd, np.zeros_like(qdd))
    return full._replace(F=-at_rest.ID)


def _recursion(model, q, qd, qdd):
    n = model.n
    G = np.concatenate([np.zeros(3), model.parameters.gravity])
    joints = virtual_joints(model, q, qd, qdd)
    starts, ends = [None], [Point(n)]
    local = [None]
    for s in range(1, len(joints)):
        joint, own, parent, fixed = joints[s]
        start = ends[parent].carried_out(fixed, Point(n))
        end, subspaces = _forward_step(joint, own, start, G, n, model.parameters.segments[s]["inertia"])
        starts.append(start)
        ends.append(end)
        local.append(subspaces)
    ID, dq, dqd, M = np.zeros(n), np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    for s in range(len(joints) - 1, 0, -1):
        joint, own, parent, fixed = joints[s]
        start, (S, R, Q, Y) = starts[s], local[s]
        start.carried_in(joint.g, ends[s])
        start.PS[:, own] += coadbar(start.FC) @ S  # 22g, 40
        start.US[:, own] += start.NC @ R + start.MC @ Q  # 22f
        start.VS[:, own] += start.NC @ S + start.MC @ Y  # 28c
        start.WS[:, own] += start.MC @ S  # 33
        ID[own] += S.T @ start.FC  # 14
        dq[own] += S.T @ (start.NC @ start.RB + start.MC @ start.QB + start.US + start.PS)  # 41a
        dq[np.ix_(own, own)] += joint.derivative_of_St(start.FC)
        dqd[own] += S.T @ (start.NC @ start.SB + start.MC @ start.YB + start.VS)  # 41b
        M[own] += S.T @ (start.MC @ start.SB + start.WS)  # 41c
        ends[parent].carried_in(fixed, start)
    g = np.array([end.g for end in ends[1:]])
    J = np.array([end.SB for end in ends[1:]])
    return InverseDynamics(ID, dq, dqd, M, np.zeros(n), g, J)


def _forward_step(joint, own, start, G, n, inertia):
    """The point at the end of a virtual joint, and S, R, Q, Y of the joint."""
    S, Sd = joint.S, joint.Sd
    S_q_qd, S_q_qdd, Sd_q_qd = joint.derivative_of_S_qd(), joint.derivative_of_S_qdd(), joint.derivative_of_Sd_qd()
    eta, etad = start.eta, start.etad
    eta_plus = eta + S @ joint.qd
    etad_plus = etad + S @ joint.qdd + Sd @ joint.qd + ad(eta) @ S @ joint.qd  # D15, D27
    gravity = Ad(inverse(start.g)) @ G
    R = ad(eta_plus) @ S + S_q_qd  # 20b
    Q = ad(etad_plus) @ S + ad(eta_plus) @ R + ad(eta) @ S_q_qd + Sd_q_qd + S_q_qdd - ad(gravity) @ S  # 20c
    Y = R + ad(eta) @ S + Sd  # 26
    end = Point(n)
    back = Ad(inverse(joint.g))
    end.g = start.g @ joint.g  # 2a
    end.eta, end.etad = back @ eta_plus, back @ etad_plus
    for name, own_part in (("SB", S), ("RB", R), ("QB", Q), ("YB", Y)):  # 39
        total = np.array(getattr(start, name))
        total[:, own] += own_part
        setattr(end, name, back @ total)
    end.M = np.array(inertia)
    momentum = end.M @ end.eta
    end.F = end.M @ end.etad + coad(end.eta) @ momentum - end.M @ Ad(inverse(end.g)) @ G  # 16
    end.N = coadbar(momentum) + coad(end.eta) @ end.M - end.M @ ad(end.eta)  # 20a
    return end, (S, R, Q, Y)
