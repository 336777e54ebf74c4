"""Kernels reached by their address: compiled once whoever asks, and pickled without their code."""

import pickle
import sys
import threading
import time

from numba import types

from supple import jit
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


def _doubled(a):
    return 2.0 * a


def at_once(work, count=8):
    """Call a function of a number on several threads at the same moment; what they returned or raised."""
    barrier, found = threading.Barrier(count), {}

    def call(i):
        barrier.wait()
        try:
            found[i] = work(i)
        except Exception as error:
            found[i] = error

    threads = [threading.Thread(target=call, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    return [found[i] for i in range(count)]


def test_threads_that_settle_a_kernel_at_once_all_may_call_it(monkeypatch):
    """Numba refuses to compile a kernel that another thread has settled meanwhile; nobody shall ask it to."""
    monkeypatch.setattr(cache.KernelCache, "load_overload", lambda *args: time.sleep(0.2))  # nothing is kept
    kernel = jit.kernel(_doubled)
    try:

        def first_call(i):
            jit.settle(kernel, (types.float64,))
            return kernel(float(i))

        assert at_once(first_call) == [2.0 * i for i in range(8)]
    finally:
        jit.KERNELS.remove(kernel)


def test_kernels_are_found_while_others_are_made():
    """A pickled kernel is looked up in the list of all, which must not grow meanwhile."""
    made = [AddressedKernel(lambda: 0, types.int64()) for _ in range(2000)]
    kernel = AddressedKernel(_added, types.int64(types.int64, types.int64))
    text = pickle.dumps(kernel)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:

        def work(i):
            if i % 2:
                made.extend(AddressedKernel(lambda: 0, types.int64()) for _ in range(1000))
                return True
            return all(pickle.loads(text).function is _added for _ in range(100))

        assert at_once(work) == [True] * 8
    finally:
        sys.setswitchinterval(interval)
