"""Light comes from above, whatever is up, and there is one of each kind."""

import numpy as np
import pytest

from supple.studio.lights import add_lights
from supple.studio.viewing import view


class Scene:
    """Takes lights as viser does: one of the same name replaces the earlier one."""

    def __init__(self):
        self.scene, self.lights = self, {}

    def add_light_hemisphere(self, name, **given):
        self.lights[name] = given

    add_light_directional = add_light_hemisphere


@pytest.mark.parametrize("vertical", [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-2.0, 0.0, 0.0)])
def test_light_comes_from_above(vertical):
    server, upward = Scene(), np.array(vertical) / np.linalg.norm(vertical)
    add_lights(server, np.array([0.0, 0.0, -1.0]))
    add_lights(server, np.array(vertical))
    around, high = server.lights.values()
    np.testing.assert_allclose(around["position"], upward, atol=1e-15)
    assert high["position"] @ upward > 0.9
    assert sum(around["sky_color"]) > sum(around["ground_color"])


def test_the_studio_is_lit(arm):
    with view(arm, open_browser=False, wait=False) as studio:
        nodes = studio.server.scene._handle_from_node_name
        assert {"/lights/around", "/lights/high"} <= set(nodes)
