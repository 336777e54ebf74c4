"""The register of methods: names in any spelling, one class for each, and what a method must say."""

import pytest

import supple as sp
from supple.errors import ModelError
from supple.solvers.integrators.method import Method, find_method, methods, names, register


@pytest.mark.parametrize(
    ("spelling", "kind"),
    [
        ("ndf", sp.NDF),
        ("Generalised-Alpha", sp.GeneralizedAlpha),
        ("generalized alpha", sp.GeneralizedAlpha),
        ("implicit_euler", sp.ImplicitEuler),
        ("RK45", sp.RK45),
    ],
)
def test_spelling_does_not_matter(spelling, kind):
    assert find_method(spelling) is kind


def test_every_scheme_of_the_package_is_known():
    kinds = {sp.NDF, sp.GeneralizedAlpha, sp.Newmark, sp.BDF2, sp.ImplicitEuler, sp.RK45, sp.DOP853}
    assert kinds <= set(methods().values())
    assert list(methods()) == sorted(methods())
    assert set(methods()) <= set(names())
    assert find_method("rk54") is None


def test_a_name_belongs_to_one_class():
    register("ndf", sp.NDF)  # once more: a module that is loaded again
    with pytest.raises(ModelError, match="the name 'ndf' belongs to NDF"):

        class Other(Method, name="ndf"):
            """Another scheme of that name."""

    assert find_method("ndf") is sp.NDF


def test_a_method_says_all_that_is_asked():
    class Incomplete(Method):
        """Says nothing."""

    with pytest.raises(TypeError, match="abstract"):
        Incomplete()
    with pytest.raises(ModelError, match="NDF has no coefficients that change"):
        sp.NDF().renew(None)
