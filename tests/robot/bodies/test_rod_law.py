"""Laws of rods as programs: what they are made of, what is refused, files, tables."""

import numpy as np
import pytest

import supple as sp
from helpers import coupled_energy, relative_error
from supple.robot.bodies.rod_law import trace_law

MATERIAL = sp.Material(young=2e5, density=1000.0)
NAMED = (sp.QuadraticEnergy(), sp.MooneyRivlinRod(0.2), sp.Stiffening(bend_y=0.3), sp.Saturating(stretch=0.2))


def robot(law, strain=None, gravity=-9.81, **options):
    made = sp.Robot("one", gravity=(0.0, 0.0, gravity))
    strain = sp.Legendre(bend_y=1, stretch=0) if strain is None else strain
    options = {"section": sp.Circle((0.02, 0.01)), "material": MATERIAL} | options
    made.add_link("arm", sp.Rod(0.3, strain=strain, law=law, **options))
    return made


def test_stresses_and_slopes_of_a_traced_law():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((3, 6, 6))
    K, s, e = A @ A.swapaxes(1, 2), np.array([0.1, 0.5, 0.9]), 0.3 * rng.standard_normal((3, 6))
    table = trace_law(sp.StrainEnergy(coupled_energy), s, np.ones(3), np.zeros((3, 6)), K, np.arange(6))
    stress, slope = table.stresses(table.inputs, e)
    h = 1e-5
    for k in range(3):
        for i, step in enumerate(h * np.eye(6)):
            ends = [coupled_energy(e[k] + sign * step, K[k], s[k]) for sign in (1.0, -1.0)]
            assert abs((ends[0] - ends[1]) / (2.0 * h) - stress[k, i]) < 1e-7
            ends = [table.stresses(table.inputs[k : k + 1], e[k : k + 1] + sign * step)[0][0] for sign in (1.0, -1.0)]
            assert relative_error((ends[0] - ends[1]) / (2.0 * h), slope[k, i]) < 1e-7


def test_a_law_that_softens_at_rest_leaves_a_positive_stiffness():
    """A rod that snaps: two wells of bending, a hill between."""
    law = sp.StrainEnergy(lambda e, K, s: K[1, 1] * (0.25 * e[1] ** 4 - 0.5 * e[1] ** 2))
    model = robot(law, sp.Legendre(bend_y=0), gravity=0.0).compile()
    assert model.stiffness[0, 0] == 0.0
    assert model.internal_force_derivatives([0.0], [0.0])[0][0, 0] > 0.0
    for side in (0.2, -0.2):
        found = model.statics(q0=[side])
        assert found.converged
        assert found.stable
        assert np.isclose(found.q[0] / 0.3, np.sign(side), rtol=1e-8)


@pytest.mark.parametrize("law", NAMED, ids=lambda law: type(law).__name__)
def test_files_keep_named_laws(law, tmp_path):
    made = robot(law)
    for ending in ("yaml", "json"):
        made.save(tmp_path / f"arm.{ending}")
        again = sp.load(tmp_path / f"arm.{ending}")
        assert again.links[0].body.law == law
        q = np.full(3, 0.1)
        assert np.array_equal(again.compile().internal_force(q, q), made.compile().internal_force(q, q))


def test_files_keep_functions_as_formulas(tmp_path):
    made = robot(sp.StrainEnergy(coupled_energy))
    made.save(tmp_path / "arm.yaml")
    again = sp.load(tmp_path / "arm.yaml")
    q = np.full(3, 0.1)
    assert np.array_equal(again.compile().internal_force(q, q), made.compile().internal_force(q, q))


def test_tables_name_the_law():
    assert "MooneyRivlinRod" in str(robot(sp.MooneyRivlinRod()))
    assert "MooneyRivlinRod" not in str(robot(None))


def test_laws_show_in_fingerprints():
    from supple.compilation.digest import differences, model_digest

    a, b = (model_digest(robot(sp.MooneyRivlinRod(share)).compile()).parts for share in (0.1, 0.2))
    assert any("elasticity of link 'arm'" in text for text in differences(a, b))


def test_refused():
    with pytest.raises(sp.ModelError, match="Rod: law is 3, must be a law such as MooneyRivlinRod"):
        robot(3)
    with pytest.raises(sp.ModelError, match=r"link 'arm'.*stretch is free, but the law does not resist it"):
        robot(sp.StrainEnergy(lambda e, K, s: K[1, 1] * e[1] ** 2)).compile()
    with pytest.raises(sp.ModelError, match=r"law StrainEnergy: .*cannot be traced"):
        robot(sp.StrainEnergy(lambda e, K, s: np.maximum(e[1], 0.0) + e @ K @ e)).compile()
    with pytest.raises(sp.ModelError, match="law StrainEnergy returned shape"):
        robot(sp.StrainEnergy(lambda e, K, s: e)).compile()
    with pytest.raises(sp.ModelError, match="law StrainEnergy raised ZeroDivisionError"):
        robot(sp.StrainEnergy(lambda e, K, s: 1 / 0)).compile()
    with pytest.raises(sp.ModelError, match=r"its stress at rest \(e = 0\) is not finite"):
        robot(sp.StrainEnergy(lambda e, K, s: e @ K @ e + abs(e[1]) ** 1.5)).compile()
    with pytest.raises(sp.ModelError, match="MooneyRivlinRod is for sections that do not couple strains"):
        robot(sp.MooneyRivlinRod(), section=sp.Section(np.eye(6) + 0.1, np.ones(6)), material=None).compile()

    def long(e, K, s):
        x = e @ K @ e
        for k in range(400):
            x = np.sin(x + e[1] * k) * e[3] + e[1] * x
        return x

    with pytest.raises(sp.ModelError, match="numbers, at most 4096 are possible"):
        robot(sp.StrainEnergy(long)).compile()
