"""The register of methods: names in any spelling, one class for each, and what a method must say."""

import numpy as np
import pytest

import supple as sp
from motions import pendulum
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
        ("nystrom", sp.Nystrom),
    ],
)
def test_spelling_does_not_matter(spelling, kind):
    assert find_method(spelling) is kind


def test_every_scheme_of_the_package_is_known():
    kinds = {sp.NDF, sp.GeneralizedAlpha, sp.Newmark, sp.BDF2, sp.ImplicitEuler, sp.Radau}
    kinds |= {sp.RK45, sp.DOP853, sp.Nystrom}
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


class Foreign(Method):
    """A scheme of no family, which happens to work as NDF does."""

    def __init__(self):
        self.inside = sp.NDF()

    control = property(lambda self: self.inside.control)
    kernels = property(lambda self: self.inside.kernels)

    def own_arrays(self, problem, size):
        return self.inside.own_arrays(problem, size)

    def newest(self, own, pending):
        return self.inside.newest(own, pending)


def test_a_scheme_that_does_not_say_how_it_is_differentiated_is_not_guessed():
    motion = pendulum().simulate(0.01, [0.3], method=Foreign(), record=True, progress=False)
    with pytest.raises(ModelError, match="Foreign does not say how its steps are differentiated"):
        motion.vjp(np.ones_like(motion.q), np.zeros_like(motion.v))
