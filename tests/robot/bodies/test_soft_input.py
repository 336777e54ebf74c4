"""What soft bodies refuse, and what they say about it."""


import numpy as np
import pytest

import supple as sp
from soft_robots import bending

L, R = 0.3, 0.02


def leaning(names):
    """Kinematics of two coordinates with these labels."""

    class Leaning:
        n, labels = 2, names

        def __call__(self, x, q):
            return np.stack([x[0], x[1] + q[0] * x[0], x[2] + q[1] * x[0]])

    return Leaning()


def compiled(energy):
    """A body that bends, of a material with an energy of the user's."""
    robot, material = sp.Robot("soft"), sp.EnergyDensity(energy, density=1e3)

    def f(x, q):
        return np.stack([x[0], x[1] + q[0] * x[0] ** 2, x[2]])

    robot.add_link("soft", sp.SoftBody(f, sp.Cylinder(0.2, 0.02), material, n=1, points=(2, 2, 3)))
    return robot.compile()


class TestBadInput:
    def body(self, f, **options):
        options = {"density": 1000.0, "n": 1} | options
        return sp.SoftBody(f, sp.Cylinder(L, R), **options)

    def test_shape(self):
        with pytest.raises(sp.ModelError, match=r"kinematics returned shape \(2,\), must be \(3,\)"):
            self.body(lambda x, q: x[:2])

    def test_not_finite(self):
        with pytest.raises(sp.ModelError, match=r"kinematics at rest is .*nan.* must be finite"):
            self.body(lambda x, q: x + np.log(-1.0 - x[0] ** 2) * q[0])

    @pytest.mark.parametrize(
        ("f", "message"),
        [
            (lambda x, q: np.maximum(x, q[0]), "cannot be traced"),
            (lambda x, q: x if q[0] > 0 else -x, "a comparison of coordinates q cannot be traced"),
            (lambda x, q: np.floor(x * q[0]), "floor cannot be traced; kinematics must be smooth"),
            (lambda x, q: np.array([float(q[0]), 0.0, 0.0]), "taken for a float"),
            (lambda x, q: x / 0 if q else x, "cannot be traced"),
            (lambda x, q: 1 + "a", "kinematics raised TypeError"),
        ],
    )
    def test_untraceable(self, f, message):
        with pytest.raises(sp.ModelError, match=message):
            self.body(f)

    def test_inside_out(self):
        with pytest.raises(sp.ModelError, match=r"turn the domain inside out: det\(df/dx\) is -1"):
            self.body(lambda x, q: np.stack([x[0] + q[0] * x[0], x[1], -x[2]]))

    def test_moving_base(self):
        with pytest.raises(sp.ModelError, match="coordinate 'q1' moves the base"):
            self.body(lambda x, q: x + q[0])
        self.body(lambda x, q: x + q[0], moving_base=True)

    def test_moving_base_away_from_rest(self):
        with pytest.raises(sp.ModelError, match="coordinate 'q1' moves the base"):
            self.body(lambda x, q: x + np.stack([q[0] ** 2 + 0.0 * x[0], q[0] * x[0], 0.0 * x[0]]))

    def test_idle_coordinate(self):
        with pytest.raises(sp.ModelError, match="coordinate 'q2' moves no point"):
            self.body(lambda x, q: np.stack([x[0], x[1] + q[0] * x[0], x[2]]), n=2)

    def test_not_smooth_at_rest(self):
        with pytest.raises(sp.ModelError, match="slope of the kinematics by coordinate 'q1' is not finite at rest"):
            self.body(lambda x, q: np.stack([x[0], x[1] + np.sqrt(q[0]) * x[0], x[2]]))

    @pytest.mark.parametrize("b", [(L, 0.0, 0.0), (L, 0.2, 0.0), (L, 0.1, 0.0)])
    def test_tip_on_a_line(self, b):
        with pytest.raises(sp.ModelError, match=r"SoftBody: tip: .* not on one line"):
            self.body(bending(L), tip=[(L, 0.0, 0.0), (L, 0.1, 0.0), b])

    def test_no_frame_at_a_station(self):
        def creased(x, q):
            return x * (1.0 + q[0] * x[0] * (1.0 + np.sqrt(x[1] ** 2 + x[2] ** 2)))

        robot = sp.Robot("r")
        robot.add_link("body", self.body(creased, stations=(0.5,)))
        with pytest.raises(sp.ModelError, match=r"link 'body': SoftBody: there is no frame at x = \(0.15, 0, 0\)"):
            robot.compile()

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"stiffness": [[-1.0]]}, "stiffness has a negative diagonal entry"),
            ({"n": 2, "stiffness": [[1.0, 0.5], [0.0, 1.0]]}, "stiffness .*symmetric"),
            ({"damping": [[-1.0]]}, "damping has a negative diagonal entry"),
            ({"stations": 0.5}, "stations is 0.5, must be a sequence of numbers"),
            ({"stations": "ab"}, "stations is 'ab', must be an array of real numbers"),
            ({"points": [1, [2, 3], 4]}, "points is .*, must be an array of real numbers"),
            ({"points": (10**5, 1, 1)}, "points is 100000, must be at most 1000"),
            ({"points": (1000, 1000, 2)}, "2000000 points, must be at most 1000000"),
        ],
    )
    def test_options(self, options, message):
        with pytest.raises(sp.ModelError, match=message):
            self.body(bending(L), **options)

    @pytest.mark.parametrize(
        ("labels", "message"),
        [
            (("a", "a"), r"labels of the kinematics are \('a', 'a'\), must be 2 different names"),
            (("a",), "must be 2 different names"),
            ((1, 2), "must be a tuple of names"),
            ("ab", "must be a tuple of names"),
        ],
    )
    def test_labels(self, labels, message):
        with pytest.raises(sp.ModelError, match=message):
            self.body(leaning(labels), n=None)

    def test_labels_of_joint_and_body(self):
        body = self.body(leaning(("rotation", "b")), n=None)
        with pytest.raises(sp.ModelError, match=r"link 'l': two of its coordinates are called 'l.rotation'"):
            sp.Robot("r").add_link("l", body, joint=sp.Revolute("z"))

    def test_other_count(self):
        with pytest.raises(sp.ModelError, match="n is 7, but the kinematics have 2 coordinates"):
            self.body(leaning(("a", "b")), n=7)

    def test_energy_that_raises(self):
        body = self.body(bending(L), material=sp.EnergyDensity(lambda F: 1 / 0, density=1.0))
        with pytest.raises(sp.ModelError, match="energy density of the material raised ZeroDivisionError"):
            body.tabulate()

    @pytest.mark.parametrize(
        ("energy", "message"),
        [
            (lambda F: 3.0, "does not depend on the deformation gradient F"),
            (lambda F: np.sqrt(np.sum(F * F) - 3.0), "has no finite slope at rest, must be smooth there"),
            (lambda F: np.log(F[1, 0]), "is -inf at rest, must be finite"),
            (lambda F: F.__setitem__((0, 0), 1.0) or 3.0, "does not depend on the deformation gradient F"),
            (lambda F: 10**400, "must return real numbers"),
            (lambda F: F[0], r"returned shape \(3,\), must be \(1,\)"),
            (lambda F: np.maximum(np.trace(F), F[0, 1]), "np.maximum of coordinates q cannot be traced"),
        ],
    )
    def test_energies(self, energy, message):
        """Once more after one that failed: what it wrote into F does no harm."""
        for _ in range(2):
            with pytest.raises(sp.ModelError, match=message):
                compiled(energy)
        assert compiled(lambda F: np.trace(F.T @ F) - np.linalg.det(F)).n == 1

    def test_huge_count(self):
        with pytest.raises(sp.ModelError, match="n is 1000000000, must be at most 1000"):
            sp.SoftBody(lambda x, q: x, sp.Cylinder(0.2, 0.02), n=10**9, density=1e3)

    def test_incompressible(self):
        body = sp.SoftBody(bending(L), sp.Cylinder(L, R), sp.Material(1e6, density=1e3), n=1)
        with pytest.raises(sp.ModelError, match="change volumes, which Poisson's ratio"):
            body.tabulate()

    def test_density(self):
        with pytest.raises(sp.ModelError, match="density is missing"):
            sp.SoftBody(bending(L), sp.Cylinder(L, R), n=1).tabulate()

    def test_count(self):
        with pytest.raises(sp.ModelError, match="n is missing"):
            sp.SoftBody(bending(L), sp.Cylinder(L, R), density=1.0)
