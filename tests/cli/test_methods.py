"""Methods by name: however they are written, and with the options that they have."""

import pytest

import supple as sp
from supple.cli.failures import UsageError
from supple.cli.methods import find_method, make_method, name_of
from supple.solvers import integrators
from supple.solvers.integrators.method import methods

NOTHING = {"dt": None, "rtol": None, "atol": None}


def test_every_method_of_the_library_has_a_name():
    kinds = {getattr(integrators, name) for name in integrators.__all__} - {integrators.Method}
    assert kinds <= set(methods().values())
    for kind in kinds:
        name = kind.name
        made = make_method(name, NOTHING, sp.NDF(), 0.01)
        assert type(made) is kind
        assert name_of(made) == name


@pytest.mark.parametrize("name", ["generalized-alpha", "Generalized_Alpha", "GENERALIZEDALPHA", "generalised alpha"])
def test_spellings(name):
    assert find_method(name) is sp.GeneralizedAlpha


def test_options():
    assert make_method("bdf2", NOTHING, sp.NDF(), 0.01) == sp.BDF2(dt=0.01)
    assert make_method("newmark", NOTHING, sp.NDF(), 0.01) == sp.Newmark()
    assert make_method("newmark", NOTHING | {"dt": 0.1}, sp.NDF(), 0.01) == sp.Newmark(dt=0.1)
    suggested = sp.NDF(max_order=2)
    assert make_method(None, NOTHING | {"rtol": 1e-5}, suggested, 0.01) == sp.NDF(rtol=1e-5, max_order=2)
    fixed = sp.GeneralizedAlpha(dt=0.1, rho_inf=0.5)
    assert make_method(None, NOTHING | {"dt": 0.2}, fixed, 0.01) == sp.GeneralizedAlpha(dt=0.2, rho_inf=0.5)
    adaptive = sp.GeneralizedAlpha(rtol=1e-6, rho_inf=0.5)
    assert make_method(None, NOTHING | {"rtol": 1e-6}, fixed, 0.01) == adaptive
    with pytest.raises(UsageError, match=r"--rtol and --atol mean nothing beside --dt, which fixes the step"):
        make_method("newmark", {"dt": 0.1, "rtol": 1e-3, "atol": 1e-3}, sp.NDF(), 0.01)
    with pytest.raises(UsageError, match=r"rk45 has no --dt; it takes --rtol and --atol; methods with --dt: bdf2, g"):
        make_method("rk45", NOTHING | {"dt": 0.1}, sp.NDF(), 0.01)
