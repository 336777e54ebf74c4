"""How far dormant stations may lie from their points: a bound that no state may break."""

import numba
import numpy as np

import supple as sp
from contact_cases import LAW, soft_rod
from supple.core.dormant import dormant_reach
from supple.loads.contact.contact import Contact
from supple.loads.contact.shapes import Plane, Spheres


@numba.njit
def reach(bound, n, q):
    return dormant_reach(bound, n, q)


def test_no_station_is_farther_than_its_bound():
    robot = sp.Robot("arm")
    robot.add_link("arm", soft_rod(torsion=1, bend_y=2, bend_z=2, shear_y=0, stretch=1))
    robot.add(Contact("floor", Spheres("arm", 30), Plane(), **LAW))
    model = robot.compile()
    data, rod, rng = model.loads[0].data, model.layouts[0].rod, np.random.default_rng(0)
    most = 0.0
    for spread in (0.0, 0.1, 1.0, 5.0, 20.0):
        q = spread * rng.standard_normal(model.n)
        for (first, last, dormant, _), bound in zip(data.sphere_groups, data.sphere_bounds, strict=True):
            if not dormant:
                continue
            stations = data.sphere_places[first:last, 1]
            point = model.pose(q, "arm", float(rod.s[rod.point_under(stations[0])]))[:3, 3]
            found = max(np.linalg.norm(model.pose(q, "arm", float(s))[:3, 3] - point) for s in stations)
            allowed = reach(bound, model.n, q)
            assert found <= allowed * (1.0 + 1e-12)
            most = max(most, found / allowed)
    assert most > 0.9, "a bound that is never near says nothing"
