"""Light from all around, without a picture of a sky.

viser lights scenes by a photograph of a square in a city, from which browsers compute reflections first: milliseconds
on a graphics card, four to five seconds without one, in which the page stands still and shows nothing. What we draw is
dull, and sees of the photograph only how bright it is in each direction. That is a light of two colours, of the sky and
of the ground, and one from high up: fitted to a sphere, they miss its brightness by a fifteenth (root mean square).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.checks import Array
from supple.viz.camera import level_axes

if TYPE_CHECKING:
    from viser import ViserServer

#: Colours of the sky and of the ground, and how bright they are.
SKY, GROUND, AROUND = (232, 236, 255), (124, 103, 101), 2.55

#: Colour of the light from high up, how bright it is, and where it comes from, in axes of which the last is up.
HIGH, BRIGHT, FROM = (236, 236, 255), 2.45, (0.32, 0.12, 0.94)


def add_lights(server: ViserServer, vertical: Array) -> None:
    """Light a scene from all around, beside viser's own lamps; once more, if what is up (3,) has changed."""
    axes = np.column_stack(level_axes(vertical))
    server.scene.add_light_hemisphere(
        "/lights/around", sky_color=SKY, ground_color=GROUND, intensity=AROUND, position=axes[:, 2]
    )
    server.scene.add_light_directional("/lights/high", color=HIGH, intensity=BRIGHT, position=axes @ np.array(FROM))
