"""Functions of Python that compiled code calls: what is raised in them is kept, by signals before they begin, too."""

import ctypes
import os
import signal
import sys
import threading

import numba
import pytest
from numba import types

from supple.jit import calling
from supple.jit.callbacks import Callback, Interrupts, pass_on

call = calling(types.int64(types.float64))
send = calling(types.int64(types.int64))


@numba.njit
def ask(address, t):
    return call(address, (t,))


@numba.njit
def ask_after_signal(raise_at, number, address, t):
    send(raise_at, (number,))
    return call(address, (t,))


def test_numbers_arrive_and_errors_are_kept():
    heard, kept = [], []

    def listen(t):
        heard.append(t)
        if t > 1.0:
            raise ZeroDivisionError(f"at {t}")

    callback = Callback(listen, kept.append)
    assert [ask(callback.address, t) for t in (0.5, 2.0, 1.0, 3.0, 0.0)] == [0, 1, 0, 1, 0]
    assert heard == [0.5, 2.0, 1.0, 3.0, 0.0]
    assert [str(error) for error in kept] == ["at 2.0", "at 3.0"]


@pytest.mark.skipif(os.name != "posix", reason="the C library is found by another name")
def test_a_signal_while_compiled_code_runs_is_kept(recwarn):
    heard, kept = [], []
    callback = Callback(heard.append, kept.append)
    raise_at = ctypes.cast(ctypes.CDLL(None)["raise"], ctypes.c_void_p).value
    assert ask(callback.address, 0.0) == 0
    for count in (1, 2):
        assert ask_after_signal(raise_at, int(signal.SIGINT), callback.address, 1.0) == 1
        assert [type(error) for error in kept] == [KeyboardInterrupt] * count
        assert heard == [0.0]
    assert ask(callback.address, 2.0) == 0
    assert heard == [0.0, 2.0]
    assert not recwarn.list  # pytest tells of what could not be raised


def test_interrupts_that_python_would_ignore_are_raised_at_the_next_look():
    @ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double)
    def interrupted(t):
        raise KeyboardInterrupt(f"at {t}")

    address, before = ctypes.cast(interrupted, ctypes.c_void_p).value, sys.unraisablehook
    with Interrupts() as interrupts:
        interrupts.look()
        ask(address, 1.0)
        ask(address, 2.0)
        with pytest.raises(KeyboardInterrupt, match=r"at 1\.0"):
            interrupts.look()
    assert sys.unraisablehook == before


def test_errors_are_no_interrupts(monkeypatch):
    @ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double)
    def fails(t):
        raise ZeroDivisionError

    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: told.append(unraisable.exc_type))
    with Interrupts() as interrupts:
        ask(ctypes.cast(fails, ctypes.c_void_p).value, 1.0)
        pass_on(ZeroDivisionError())
        interrupts.look()
    assert told == [ZeroDivisionError]


def test_the_innermost_of_a_thread_is_told():
    pass_on(KeyboardInterrupt())  # nobody listens
    with Interrupts() as outer:
        with Interrupts() as inner:
            pass_on(KeyboardInterrupt("inner"))
        other = threading.Thread(target=pass_on, args=(KeyboardInterrupt("other"),))
        other.start()
        other.join()
        outer.look()
        with pytest.raises(KeyboardInterrupt, match="inner"):
            inner.look()
