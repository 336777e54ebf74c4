"""PyTorch: values of the library, gradcheck, leading axes, precisions, and what autograd asks for."""

import threading

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck

import supple as sp
import supple.torch
from bridge_cases import TENSIONS, arm, arm_design, bow, pendulum


@pytest.fixture(scope="module")
def model():
    return arm()


def tensor(x, grad=True, dtype=torch.float64):
    return torch.tensor(np.asarray(x), dtype=dtype, requires_grad=grad)


def tensors(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [tensor(0.3 * rng.standard_normal(shape)) for shape in shapes]


def test_equilibria_are_the_librarys(model):
    equilibrium = supple.torch.equilibrium(model)
    u = tensor(TENSIONS)
    q = equilibrium(u)
    rest = model.statics(TENSIONS)
    assert np.array_equal(q.detach().numpy(), rest.q)
    q.sum().backward()
    assert np.array_equal(u.grad.numpy(), rest.vjp(np.ones(model.n)).u)
    assert gradcheck(equilibrium, u)
    assert "u (3,) -> q (6,)" in repr(equilibrium)


def test_leading_axes(model):
    equilibrium, tip = supple.torch.equilibrium(model, threads=2), supple.torch.tip(model, "arm")
    u = tensor(TENSIONS * np.random.default_rng(0).uniform(0.5, 2.0, (2, 2, 3)))
    q = equilibrium(u)
    for i in np.ndindex(2, 2):
        assert np.array_equal(q[i].detach().numpy(), model.statics(u[i].detach().numpy()).q)
    assert gradcheck(lambda x: tip(equilibrium(x)), u)
    assert equilibrium(u[:0]).shape == (0, 2, 6)


def test_with_a_loop():
    model = bow()
    assert gradcheck(supple.torch.equilibrium(model, tolerance=1e-12), tensor([0.5, 0.02]))


def test_dynamics_and_places(model):
    q, v, a = tensors(0, (2, 6), (6,), (2, 6))
    assert gradcheck(supple.torch.inverse_dynamics(model), (q, v, a))
    assert gradcheck(supple.torch.pose(model, "arm", 0.4), q)
    assert gradcheck(supple.torch.tip(model, "arm"), q)
    chain = pendulum()
    assert gradcheck(supple.torch.forward_dynamics(chain), tensors(1, (3, 4), (4,), (3, 4)))


def test_only_what_needs_a_gradient_has_one(model):
    q, v, a = tensors(2, (6,), (6,), (6,))
    inverse = supple.torch.inverse_dynamics(model)
    inverse(q, v.detach(), a).sum().backward()
    assert v.grad is None
    jacobians = model.inverse_dynamics_derivatives(*(x.detach().numpy() for x in (q, v, a)))
    assert np.allclose(q.grad.numpy(), jacobians.dq.sum(axis=0), rtol=1e-12)
    assert np.allclose(a.grad.numpy(), jacobians.mass.sum(axis=0), rtol=1e-12)


def test_nothing_is_recorded_without_gradients(model, monkeypatch):
    inverse = supple.torch.inverse_dynamics(model)
    asked = []
    rows, evaluate = inverse._rows, inverse._rows.evaluate
    monkeypatch.setattr(rows, "evaluate", lambda arrays, record: asked.append(record) or evaluate(arrays, record))
    q, v, a = tensors(2, (6,), (6,), (6,))
    with torch.no_grad():
        assert not inverse(q, v, a).requires_grad
    inverse(q.detach(), v.detach(), a.detach())
    inverse(q, v, a)
    assert asked == [False, False, True]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_precision_is_the_callers(model, dtype):
    equilibrium = supple.torch.equilibrium(model)
    u = tensor(TENSIONS, dtype=dtype)
    q = equilibrium(u)
    assert q.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    q.sum().backward()
    assert u.grad.dtype == dtype
    exact = model.statics(u.detach().double().numpy())
    assert np.allclose(q.detach().numpy(), exact.q, rtol=1e-6)
    assert np.allclose(u.grad.numpy(), exact.vjp(np.ones(6)).u, rtol=1e-2 if dtype == torch.float16 else 1e-5)


def test_what_is_left_out_and_numpy_arrays(model):
    equilibrium = supple.torch.equilibrium(model)
    assert np.array_equal(equilibrium().double().numpy().astype(np.float32), model.statics().q.astype(np.float32))
    assert np.array_equal(equilibrium(TENSIONS).numpy(), model.statics(TENSIONS).q)
    assert equilibrium(torch.tensor([1, 0, 0])).dtype == torch.float32


def test_errors_are_typed_and_the_next_call_is_right(model):
    equilibrium = supple.torch.equilibrium(model)
    good = np.stack([TENSIONS, 2.0 * TENSIONS])
    bad = good.copy()
    bad[1, 2] = -0.1
    with pytest.raises(sp.StateError, match=r"equilibrium, row 1: input 'right' is -0\.1 N"):
        equilibrium(tensor(bad))
    with pytest.raises(sp.StateError, match=r"u\[0\] is nan"):
        equilibrium(tensor([np.nan, 0.0, 0.0]))
    with pytest.raises(sp.ShapeError, match=r"u has shape \(2,\)"):
        equilibrium(tensor([1.0, 2.0]))
    with pytest.raises(sp.StateError, match="complex"):
        equilibrium(torch.ones(3, dtype=torch.complex128))
    with pytest.raises(sp.ConvergenceError, match="no equilibrium found"):
        supple.torch.equilibrium(model, max_iterations=1)(tensor(1e6 * TENSIONS))
    assert np.array_equal(equilibrium(tensor(good))[1].detach().numpy(), model.statics(good[1]).q)


def test_derivatives_of_derivatives_are_refused(model):
    u = tensor(TENSIONS)
    (gradient,) = torch.autograd.grad(supple.torch.equilibrium(model)(u).sum(), u, create_graph=True)
    assert np.array_equal(gradient.detach().numpy(), model.statics(TENSIONS).vjp(np.ones(6)).u)
    with pytest.raises(sp.ModelError, match="equilibrium: derivatives of derivatives"):
        (gradient.sum() + (u**2).sum()).backward()


def test_inputs_that_were_changed_in_place_are_refused(model):
    u = tensor(TENSIONS)
    x = 1.0 * u
    q = supple.torch.equilibrium(model)(x)
    x.mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        q.sum().backward()


def test_two_threads(model):
    equilibrium = supple.torch.equilibrium(model)
    u = TENSIONS * np.random.default_rng(3).uniform(0.5, 2.0, (16, 3))
    found = {}

    def work(k):
        x = tensor(u)
        (equilibrium(x) ** 2).sum().backward()
        found[k] = x.grad.numpy()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    work("alone")
    assert len(found) == 4
    assert all(np.array_equal(x, found["alone"]) for x in found.values())


def test_tensions_learned_by_adam(model):
    """A loss on the tip goes down by four orders."""
    equilibrium, tip = supple.torch.equilibrium(model), supple.torch.tip(model, "arm")
    target = torch.tensor(model.tip(model.statics([0.3, 0.1, 0.5]).q, "arm"))
    x = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.Adam([x], lr=0.1)
    losses = []
    for _ in range(80):
        optimiser.zero_grad()
        loss = ((tip(equilibrium(torch.nn.functional.softplus(x))) - target) ** 2).sum()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 1e-4 * losses[0]


def test_steps():
    model = pendulum()
    step = supple.torch.step(model, 0.02)
    assert gradcheck(step, tensors(3, (2, 4), (4,), (2, 4)))
    q, v, u = tensors(4, (4,), (4,), (4,))
    expected = model.step(*(x.detach().numpy() for x in (q, v, u)), 0.02)
    for found, exact in zip(step(q, v, u), expected, strict=True):
        assert np.array_equal(found.detach().numpy(), exact)


@pytest.mark.parametrize("inputs", ["constant", "linear", "held"])
def test_motions(model, inputs):
    t = np.linspace(0.0, 0.04, 3)
    rollout = supple.torch.rollout(model, t, method=sp.BDF2(dt=0.01), inputs=inputs)
    u = tensor(TENSIONS * np.random.default_rng(0).uniform(0.5, 1.5, (2, 3) if inputs == "constant" else (2, 3, 3)))
    (q0,) = tensors(0, (6,))
    assert gradcheck(lambda q0, u: rollout(0.1 * q0, u=u)[0], (q0, u), rtol=1e-5)
    q, v = rollout(q0, u=u)
    assert q.shape == v.shape == (2, 3, 6)


def test_parameters():
    design = arm_design()
    equilibrium, tip = supple.torch.equilibrium(design, tolerance=1e-13), supple.torch.tip(design, "arm")
    scale, radius = tensor(1.1), tensor([1.1, 0.9])

    def place(scale, radius, u):
        p = {"young": 2e5 * scale, "radius": 0.01 * radius}
        return tip(equilibrium(u, p), p)

    assert gradcheck(place, (scale, radius, tensor(TENSIONS)))
    assert gradcheck(place, (tensor([1.1, 0.9]), radius, tensor(TENSIONS)))  # a row for each modulus
