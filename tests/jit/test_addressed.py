"""Kernels reached by their address: compiled once whoever asks, and pickled without their code."""

import pickle
import threading

from numba import types

from supple.jit import AddressedKernel, cache
from supple.loads.lines.routed import lines


def _added(a, b):
    return a + b


def test_a_load_pickles_without_its_machine_code():
    assert lines.address
    copy = pickle.loads(pickle.dumps(lines))
    assert copy.function is lines.function
    assert pickle.loads(pickle.dumps(lines)) is copy


def test_threads_that_ask_at_once_compile_once(monkeypatch):
    """Eight first calls at the same time get one address, of one compilation."""
    kernel = AddressedKernel(_added, types.int64(types.int64, types.int64))
    barrier, addresses, loads = threading.Barrier(8), [], []
    load = cache.KernelCache.load_overload
    monkeypatch.setattr(cache.KernelCache, "load_overload", lambda *args: loads.append(1) or load(*args))

    def ask():
        barrier.wait()
        addresses.append(kernel.address)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    assert len(addresses) == 8
    assert len(set(addresses)) == 1
    assert len(loads) == 1
