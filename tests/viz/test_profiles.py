"""Strains and inner forces along rods, as pictures."""

import numpy as np
import pytest
from matplotlib.collections import QuadMesh

import supple as sp
from supple.viz import along_rod


@pytest.fixture(scope="module")
def motion():
    robot = sp.Robot("finger")
    rubber = sp.Material(young=5e5, poisson=0.45, density=1100.0, viscosity=2e3)
    robot.add_link("base", sp.Rigid(1.0, np.eye(3)), joint=sp.Revolute("z", stiffness=1.0))
    robot.add_link("arm", sp.Rod(0.3, sp.Circle(0.02), rubber, sp.Legendre(bend_y=2, stretch=1)), parent="base")
    robot.add(sp.Tendon("t", {"arm": lambda X: (0.0, 0.01)}))
    return robot.compile().simulate(np.linspace(0.0, 0.2, 9), u=[1.0])


def labels(figure):
    return [ax.get_ylabel() for ax in figure.axes]


def test_curves_show_what_varies(motion):
    figure = motion.plot_strain("arm", number=4)
    assert labels(figure)[:2] == ["bend_y [1/m]", "stretch [-]"]
    curves = figure.axes[0].get_lines()
    assert len(curves) == 4
    s, last = curves[-1].get_data()
    assert s[0] == 0.0
    assert s[-1] == 1.0
    assert last == pytest.approx(motion.strain("arm", s)[-1, :, 1])


def test_inner_forces_and_stresses(motion):
    figure = motion.plot_inner_forces("arm")
    assert labels(figure)[0] == "moment_y [N m]"
    assert "normal force [N]" in labels(figure)
    last = figure.axes[0].get_lines()[-1].get_ydata()
    assert last[0] == pytest.approx(motion.inner_forces("arm", 0.0)[-1, 1])
    stress = motion.plot_stress("arm").axes[0].get_lines()[-1].get_ydata()
    assert stress[50] == pytest.approx(motion.stress("arm", 0.5).total[-1, 1])


def test_a_map_over_time(motion):
    figure = motion.plot_strain("arm", over_time=True)
    (mesh,) = [c for c in figure.axes[0].collections if isinstance(c, QuadMesh)]
    assert mesh.get_array().size == 9 * 101


def test_an_equilibrium_has_one_curve_and_no_map(motion, tmp_path):
    found = motion.model.statics([1.0])
    target = tmp_path / "strain.png"
    figure = found.plot_strain("arm", target, size=(5, 4), dpi=60)
    assert len(figure.axes[0].get_lines()) == 1
    assert target.read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(sp.PictureError, match="two states at least"):
        found.plot_strain("arm", over_time=True)


def test_a_path_of_equilibria_is_drawn(motion):
    path = motion.model.equilibrium_path([1.0])
    assert len(path.plot_inner_forces("arm", number=3).axes[0].get_lines()) == 3


def test_wrong_wishes_are_refused(motion):
    with pytest.raises(sp.PictureError, match="what is 'colour', must be one of 'strain'"):
        along_rod(motion, "arm", "colour")
    with pytest.raises(sp.ModelError, match="link 'base' is rigid"):
        motion.plot_strain("base")
    with pytest.raises(sp.PictureError, match="no option 'colour'"):
        motion.plot_strain("arm", colour="red")
    with pytest.raises(sp.ModelError, match="number is 0"):
        motion.plot_strain("arm", number=0)
