"""Where the rods, drones and swimmers of [IDM-TIDM] are at some times, from runs converged to 1e-6 m."""

from functools import cache

import numpy as np
import pytest

import supple as sp
from supple.systems import SYSTEMS

pytestmark = pytest.mark.filterwarnings("ignore:.*constraint rows follow from others:supple.ModelWarning")

#: Per system its length [m], and at times [s] the watched positions [m] and the total energy [J]; the last is the end.
SAMPLES = {
    "cantilever-soft": (
        10.0,
        {
            1.0: ([(1.342297, -4.781877, 0.0), (3.276976, -9.392343, 0.0)], -186.925302),
            3.0: ([(-2.317538, -4.194262, 0.0), (-7.113984, -5.343762, 0.0)], -186.925302),
            10.0: ([(2.779239, -3.845017, 0.0), (7.526703, -5.391069, 0.0)], -186.925302),
        },
    ),
    "cantilever-stiff": (
        0.4,
        {
            0.05: ([(-0.121347, -0.144677, 0.0), (-0.313719, -0.198580, 0.0)], 0.694103),
            0.3: ([(-0.055129, -0.190291, 0.0), (-0.154857, -0.363623, 0.0)], 0.694103),
            1.0: ([(0.118853, -0.146058, 0.0), (0.315010, -0.181627, 0.0)], 0.694103),
        },
    ),
    "flying-rod-soft": (
        10.0,
        {
            2.5: (
                [(3.386321, 0.170430, 0.032529), (5.841857, 3.948680, 0.127704), (4.014467, 8.475002, -0.728356)],
                324.139871,
            ),
            5.0: (
                [(19.543335, 1.454369, -1.414007), (15.381585, 3.891447, -0.101553), (11.896161, 6.932853, 1.750419)],
                880.208124,
            ),
            10.0: (
                [(44.376791, 1.498844, -1.891614), (40.553667, 4.019933, 0.097715), (36.451467, 6.491467, 1.518339)],
                880.208124,
            ),
        },
    ),
    "flying-rod-stiff": (
        1.0,
        {
            1.0: (
                [(0.655653, -0.009425, 0.237522), (0.428482, 0.400455, 0.063195), (0.195140, 0.807893, -0.108687)],
                0.979024,
            ),
            3.0: (
                [(0.821344, 0.457963, 0.801375), (0.936772, 0.399986, 0.318348), (1.051456, 0.342037, -0.164859)],
                0.979024,
            ),
            10.0: (
                [(2.867845, 0.037637, 1.520340), (2.719025, 0.400951, 1.210737), (2.570787, 0.759054, 0.894856)],
                0.979024,
            ),
        },
    ),
    "drones": (
        2.2,
        {
            1.0: ([(0.095516, 0.0, 0.487329), (1.090280, 0.0, 0.063378), (2.095272, 0.0, 0.413615)], 2.978693),
            2.0: ([(0.187951, 0.0, 0.097027), (1.081132, 0.0, 0.686329), (2.064281, 0.0, 1.064063)], 3.134332),
            10.0: ([(0.179389, 0.0, 0.030382), (1.184285, 0.0, 0.442856), (1.981398, 0.0, 1.156417)], 1.918638),
        },
    ),
    "continuum-parallel-robot": (
        1.0,
        {
            2.0: ([(0.827735, 0.0, 0.0), (0.473270, 0.349677, 0.0), (0.473270, -0.349677, 0.0)], 0.449326),
            4.6: ([(0.752153, 0.167502, 0.0), (0.421308, 0.533353, 0.0), (0.449381, -0.228996, 0.0)], 0.719305),
            10.0: ([(0.838808, 0.018207, 0.0), (0.474693, 0.357864, 0.0), (0.473190, -0.320850, 0.0)], 0.413400),
        },
    ),
    "swimmer": (
        1.0,
        {
            0.5: ([(-0.019918, -0.011456, 0.0), (0.895955, 0.067216, 0.0)], 1.281760),
            2.0: ([(-0.650490, 0.013025, 0.0), (0.323966, 0.054736, 0.0)], 2.764597),
            10.0: ([(-8.129345, 0.725975, 0.0), (-7.151136, 0.723704, 0.0)], 4.763801),
        },
    ),
}

#: Steps of a second method, of another family, that reach a thousandth of the length at the end [s].
OTHER = {
    "cantilever-soft": sp.Newmark(dt=2e-3),
    "cantilever-stiff": sp.Newmark(dt=2e-5),
    "flying-rod-soft": sp.Newmark(dt=5e-3),
    "flying-rod-stiff": sp.Newmark(dt=1e-3),
    "drones": sp.GeneralizedAlpha(dt=1e-2),
    "continuum-parallel-robot": sp.GeneralizedAlpha(dt=1e-3),
    "swimmer": sp.GeneralizedAlpha(dt=1e-3),
}


@cache
def compiled(name):
    system = SYSTEMS[name]()
    return system, system.compile()


def deviations(name, times, method=None):
    """Largest distance from the samples, in lengths, and largest difference of energies, in the largest energy."""
    length, samples = SAMPLES[name]
    system, model = compiled(name)
    run = system.simulate(model, [0.0, *times], method)
    expected = np.array([samples[t][0] for t in times])
    energies = np.array([samples[t][1] for t in times])
    off = np.abs(system.paths(run)[1:] - expected).max() / length
    return off, np.abs(run.energy()[1:, -1] - energies).max() / np.abs(energies).max()


@pytest.mark.parametrize("name", SAMPLES)
def test_the_first_seconds(name):
    off, energy = deviations(name, list(SAMPLES[name][1])[:2])
    assert off < 5e-5
    assert energy < 5e-5


@pytest.mark.slow
@pytest.mark.parametrize("other", [False, True], ids=["own method", "other method"])
@pytest.mark.parametrize("name", SAMPLES)
def test_all_the_way(name, other):
    off, energy = deviations(name, list(SAMPLES[name][1]), OTHER[name] if other else None)
    assert off < 1e-3
    assert energy < 1e-2


@pytest.mark.parametrize("name", SAMPLES)
def test_derivatives_along_the_way(name):
    system, model = compiled(name)
    times = list(SAMPLES[name][1])[:2]
    run = system.simulate(model, [0.0, *times])
    for t, q, v, u in list(zip(run.t, run.q, run.v, run.u, strict=True))[1:]:
        report = model.check_derivatives(q, v, model.forward_dynamics(q, v, u, t).a, u, t)
        assert report.ok(1e-6), report
