"""Routes with a name: where they run, their slopes, and files that hold them."""

import numpy as np
import pytest

import supple as sp
from supple.loads.lines.routes import route_slopes


def test_a_helix_winds_with_exact_slopes():
    route = sp.HelicalRoute(0.01, pitch=-0.2, phase=0.3)
    X, turn = 0.07, -2.0 * np.pi / 0.2
    np.testing.assert_allclose(route(X), 0.01 * np.array([np.cos(turn * X + 0.3), np.sin(turn * X + 0.3)]))
    slope = 0.01 * turn * np.array([-np.sin(turn * X + 0.3), np.cos(turn * X + 0.3)])
    np.testing.assert_allclose(route_slopes(route, [X], 0.5)[0], slope, rtol=1e-14)
    with pytest.raises(sp.ModelError, match="pitch is 0 m"):
        sp.HelicalRoute(0.01, 0.0)


def test_named_routes_and_profiles_stay_as_they_are_in_files(tmp_path):
    robot = sp.Robot("wound")
    thin = sp.laws.Polynomial([0.02, -0.01])
    material = sp.Material(1e5, density=1000.0)
    robot.add_link("rod", sp.Rod(0.5, sp.Circle(thin), material, sp.Legendre(bend_y=2, bend_z=2)))
    robot.add(sp.Tendon("helix", {"rod": sp.HelicalRoute(0.01, 0.25)}))
    robot.add(sp.Tendon("line", {"rod": sp.laws.Polynomial([[0.0, 0.02], [0.0, -0.02]])}))
    assert robot.save(tmp_path / "r.yaml") == {}  # no warning
    text = (tmp_path / "r.yaml").read_text()
    assert "Samples" not in text
    assert "{HelicalRoute: {radius: 0.01, pitch: 0.25}}" in text
    mine, theirs = robot.compile(), sp.load(tmp_path / "r.yaml").compile()
    q = 0.1 * np.ones(mine.n)
    assert mine.actuation(q).tobytes() == theirs.actuation(q).tobytes()
    assert mine.stiffness.tobytes() == theirs.stiffness.tobytes()
