"""Methods that make one step, and states to begin it at."""

import numpy as np

import supple as sp

#: Newton's method is as exact as tolerances are: differences see what it leaves.
RADAU = sp.Radau(rtol=1e-10, atol=1e-12)

#: Of every family; None is the default.
METHODS = [
    None,
    sp.ImplicitEuler(dt=1.0),
    sp.Newmark(),
    sp.BDF2(dt=1.0),
    sp.GeneralizedAlpha(rho_inf=0.5, loops="index3"),
    RADAU,
    sp.Radau(rtol=1e-10, atol=1e-12, loops="index3"),
    sp.RK45(),
    sp.DOP853(baumgarte=0.1),
    sp.Nystrom(baumgarte=0.1),
    sp.Nystrom(order=4),
]


def consistent(model, rng, size=0.1):
    """A state that loops allow."""
    q, v = size * rng.standard_normal(model.n), rng.standard_normal(model.n)
    if model.nc:
        q = model.assemble(q)
        A = model.loop_jacobian(q)
        v = v - np.linalg.pinv(A) @ (A @ v)
    return q, v
