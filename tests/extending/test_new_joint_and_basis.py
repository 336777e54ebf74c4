"""The page on extending: its joint and its basis work in robots, and its table tells the truth about their sizes."""

import pickle
import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple as sp
from extension_pages import PAGES, block_with, code_blocks, line_count, package
from helpers import relative_error


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """A package of two files, one a joint and one a basis."""
    files = {"gimbal": block_with("index.md", "TelescopicGimbal"), "cosine": block_with("index.md", "class Cosine")}
    with package(tmp_path_factory.mktemp("extending"), "kinds", **files) as found:
        yield found


def rod(strain):
    return sp.Rod(0.4, sp.Circle(0.02), sp.Material(1e6, density=1000.0), strain, points=8)


def rotation(axis, angle):
    return Rotation.from_rotvec(angle * np.asarray(axis)).as_matrix()


def test_the_joint_is_what_its_docstring_says(kinds):
    robot = sp.Robot("pointing")
    robot.add_link("boom", sp.Rigid(1.0, np.full(3, 0.01)), kinds.TelescopicGimbal(damping=0.1, limits=[None] * 3))
    model = robot.compile()
    assert model.coordinate_names == ("boom.tilt", "boom.pan", "boom.extension")
    tilt, pan, extension = q = np.array([0.4, -0.7, 0.2])
    R = rotation((0, 1, 0), tilt) @ rotation((0, 0, 1), pan)
    pose = model.pose(q, "boom")
    assert relative_error(pose[:3, :3], R) < 1e-14
    assert relative_error(pose[:3, 3], extension * R[:, 0]) < 1e-14


def test_the_joint_holds_rods_takes_drives_and_closes_loops(kinds):
    robot = sp.Robot("pointing")
    robot.add_link("boom", rod(sp.Legendre(bend_y=2)), kinds.TelescopicGimbal(stiffness=(1.0, 2.0, 50.0)))
    robot.add(sp.JointDrive("motor", "boom"))
    robot.add(sp.Loop("end", ("boom", sp.pose()), ("world", sp.pose((0.45, 0.0, 0.05))), sp.Spherical()))
    model = robot.compile()
    rng = np.random.default_rng(0)
    q, v, a = 0.3 * rng.standard_normal((3, model.n))
    assert model.check_derivatives(q, v, a, rng.standard_normal(model.nu)).ok(1e-8)
    assert model.statics().converged
    assert model.simulate(0.05).t[-1] == 0.05
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.residual(q, v, a), model.residual(q, v, a))


def test_the_basis_bends_a_rod_as_polynomials_do(kinds):
    """A cantilever under its weight, by both families; alone and mixed with another."""
    mixed = sp.Strain(torsion=sp.Legendre(0), bend_y=kinds.Cosine(12))
    tips = []
    for strain in (sp.Legendre(bend_y=5), kinds.Cosine(bend_y=12), mixed):
        robot = sp.Robot("cantilever")
        robot.add_link("rod", sp.Rod(0.4, sp.Circle(0.02), sp.Material(1e6, density=1000.0), strain, points=24))
        model = robot.compile()
        found = model.statics()
        assert found.converged
        tips.append(model.tip(found.q, "rod"))
    assert relative_error(tips[1], tips[0]) < 1e-4
    assert relative_error(tips[2], tips[1]) < 1e-10


def test_the_basis_checks_its_order_and_pickles(kinds):
    with pytest.raises(sp.ModelError, match="Cosine: bend_y: order"):
        kinds.Cosine(bend_y=-1)
    model = _model(rod(kinds.Cosine(bend_y=3)))
    q = np.full(model.n, 0.2)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).residual(q, q, q), model.residual(q, q, q))


def _model(body):
    robot = sp.Robot("one")
    robot.add_link("rod", body)
    return robot.compile()


def test_the_table_of_sizes_is_measured():
    """Lines of every example, counted."""
    text = (PAGES / "index.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| \[(\w+)\]\([^)]*\) \|[^|]*\| (\d+) \|$", text, flags=re.MULTILINE))
    found = {
        "joint": block_with("index.md", "TelescopicGimbal"),
        "basis": block_with("index.md", "class Cosine"),
        "load": code_blocks("load.md")[0],
        "body": code_blocks("body.md")[0],
        "integrator": code_blocks("integrator.md")[0],
    }
    counted = {kind: str(line_count(code)) for kind, code in found.items()}
    assert told == counted
