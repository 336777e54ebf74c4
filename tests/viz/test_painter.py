"""The eye and the painter: what is near hides what is far, and is in its place."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from supple.robot import meshes
from supple.viz.camera import Camera, level_axes
from supple.viz.painter import BODY, Painter, unit_normals
from supple.viz.style import Style
from supple.viz.view import round_length

Z = np.array([0.0, 0.0, 1.0])


@pytest.mark.parametrize(("azimuth", "elevation"), [(0, 0), (-60, 20), (130, -35), (0, 90)])
@pytest.mark.parametrize("vertical", [(0, 0, 1), (1, 0, 0), (0, -1, 0.5)])
def test_the_cameras_axes_are_right_handed_and_upright(azimuth, elevation, vertical):
    camera = Camera.looking(azimuth, elevation, np.array(vertical, dtype=float))
    axes = np.array([camera.right, camera.up, camera.toward])
    assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert abs(camera.right @ camera.vertical) < 1e-12
    assert camera.up @ camera.vertical >= -1e-12


def test_from_the_positive_x_axis_y_points_right_and_z_up():
    camera = Camera.looking(0.0, 0.0, Z)
    assert_allclose(camera.project(np.array([5.0, 2.0, 3.0])), (2.0, 3.0), atol=1e-12)
    assert camera.depth(np.array([5.0, 2.0, 3.0])) == pytest.approx(5.0)


def test_level_axes_are_x_and_y_if_z_is_up():
    assert_allclose(np.array(level_axes(2.0 * Z)), np.eye(3), atol=1e-15)


def test_a_flat_robot_is_looked_at_from_its_broad_side():
    cloud = np.random.default_rng(0).uniform(-1, 1, (100, 3)) * (1.0, 0.02, 1.0)
    camera = Camera.choose(Style(), cloud, -9.81 * Z)
    assert abs(camera.toward[1]) > 0.85


def test_gravity_decides_what_is_up():
    camera = Camera.choose(Style(), np.eye(3), np.array([9.81, 0.0, 0.0]))
    assert_allclose(camera.vertical, (-1, 0, 0))


def picture(painter, size=64):
    """Pixels of what is painted in the window [-1, 1]^2."""
    figure = Figure(figsize=(1, 1), dpi=size)
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_axis_off()
    ax.set_xlim(-1, 1)
    ax.set_ylim(-1, 1)
    painter.paint(ax)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].astype(int)


def square(x):
    """A unit square in the plane of that x, seen from +x."""
    return np.array([[(x, -0.5, -0.5), (x, 0.5, -0.5), (x, 0.5, 0.5), (x, -0.5, 0.5)]])


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_nearer_face_is_seen_whatever_was_added_first(order):
    painter = Painter(Camera.looking(0.0, 0.0, Z))
    faces = [(square(0.0), "#ff0000"), (square(1.0), "#0000ff")]
    for k in order:
        painter.faces(*faces[k], shaded=False)
    assert picture(painter)[32, 32].tolist() == [0, 0, 255]


def test_faces_turned_away_are_left_out():
    painter = Painter(Camera.looking(0.0, 0.0, Z))
    painter.faces(square(0.0)[:, ::-1], "#ff0000")
    assert np.all(picture(painter) == 255)


def test_layers_come_before_depth():
    painter = Painter(Camera.looking(0.0, 0.0, Z))
    painter.faces(square(0.0), "#ff0000", shaded=False, layer=BODY + 1)
    painter.faces(square(1.0), "#0000ff", shaded=False)
    assert picture(painter)[32, 32].tolist() == [255, 0, 0]


def test_faces_are_where_they_belong():
    painter = Painter(Camera.looking(0.0, 0.0, Z))
    painter.faces(square(0.0) * 0.5 + (0.0, 0.5, 0.5), "#ff0000", shaded=False)
    red = np.argwhere(picture(painter)[:, :, 1] < 128)
    # rows count down from the top: y from 0.25 to 0.75 of the window, z likewise
    assert_allclose(red.min(axis=0), (8, 40), atol=1)
    assert_allclose(red.max(axis=0), (23, 55), atol=1)


def test_normals_of_a_box_point_outward():
    mesh = meshes.box((1, 2, 3))
    assert np.all(np.einsum("ij,ij->i", unit_normals(mesh.corners), mesh.corners.mean(axis=1)) > 0.0)


@pytest.mark.parametrize(("length", "expected"), [(0.13, 0.1), (0.2, 0.2), (0.49, 0.2), (7.0, 5.0), (1e-5, 1e-5)])
def test_scales_are_round(length, expected):
    assert round_length(length) == pytest.approx(expected)
