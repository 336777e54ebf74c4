"""The studio: robots in the browser, moved by sliders, by time and by hand; motions as files that open anywhere.

Install with ``pip install "supple[view]"``. Most people need only `Model.view`, `Trajectory.view` and
`Trajectory.export`.
"""

from supple.studio.export import export
from supple.studio.studio import Studio
from supple.studio.viewing import view

__all__ = ["Studio", "export", "view"]
