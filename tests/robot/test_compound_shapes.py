"""Meshes and unions as solids: the moments of the solids that they are made of."""

import numpy as np
import pytest

import supple as sp
from helpers import random_pose
from supple.errors import ModelError, ModelWarning
from supple.robot.compound_shapes import Compound, MeshShape
from supple.robot.rigid_shapes import BoxShape, Moved, SphereShape


def box_file(tmp_path, size, pose):
    mesh = Moved(BoxShape(size), pose).mesh()
    vertices = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in mesh.vertices.tolist())
    path = tmp_path / "box.obj"
    path.write_text(vertices + "".join(f"f {' '.join(str(i + 1) for i in face)}\n" for face in mesh.faces.tolist()))
    return str(path)


def test_a_mesh_has_the_moments_of_its_solid(tmp_path):
    pose = random_pose(np.random.default_rng(0))
    file, exact = box_file(tmp_path, (0.1, 0.2, 0.4), pose), Moved(BoxShape((0.1, 0.2, 0.4)), pose)
    shape = MeshShape(file)
    for name in ("volume", "com", "inertia"):
        np.testing.assert_allclose(getattr(shape, name), getattr(exact, name), atol=1e-16, rtol=1e-12)
    mirrored = MeshShape(file, (-1.0, 1.0, 1.0))
    assert mirrored.volume == pytest.approx(exact.volume)
    np.testing.assert_allclose(mirrored.com, exact.com * (-1.0, 1.0, 1.0))
    with pytest.raises(ModelError, match="scale"):
        MeshShape(file, (0.0, 1.0, 1.0))


def test_two_halves_are_a_whole():
    halves = [Moved(BoxShape((0.1, 0.2, 0.3)), sp.pose((x, 0.0, 0.0))) for x in (-0.05, 0.05)]
    both, whole = Compound(tuple(halves)), BoxShape((0.2, 0.2, 0.3))
    assert both.volume == pytest.approx(whole.volume)
    np.testing.assert_allclose(both.inertia, np.diag(whole.inertia), atol=1e-15)
    assert len(both.mesh().faces) == 12
    assert both.mesh().faces.max() == 15
    with pytest.raises(ModelError, match="parts must be solids"):
        Compound(())


def test_meshes_that_cannot_be_read_are_left_out_of_pictures(tmp_path):
    lost = MeshShape(str(tmp_path / "lost.stl"))
    some = sp.Rigid(1.0, np.ones(3), shape=Compound((SphereShape(0.1), lost)))
    with pytest.warns(ModelWarning, match=r"lost\.stl"):
        assert some.look("a").mesh is not None
    with pytest.warns(ModelWarning, match=r"'a' is drawn as an ellipsoid.*lost\.stl"):
        assert sp.Rigid(1.0, np.ones(3), shape=lost).look("a").mesh is not None
