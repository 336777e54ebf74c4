"""Ctrl-C in the midst of a call: sent when the main thread is there, however late it comes to that on a busy machine.

A timer would do on a quiet one; elsewhere its signal may come before the call has begun, and end all tests.
"""

import os
import signal
import sys
import threading
import time


def ctrl_c_inside(function, delay=0.2, patience=300.0):
    """Send SIGINT once the main thread has been inside a function of Python for so long [s]; never if it is not there.

    The thread that does it is returned.
    """
    code, main = function.__code__, threading.main_thread().ident

    def is_there():
        frame = sys._current_frames().get(main)
        while frame is not None:
            if frame.f_code is code:
                return True
            frame = frame.f_back
        return False

    def watch():
        end = time.monotonic() + patience
        while not is_there():
            if time.monotonic() > end:
                return
            time.sleep(0.01)
        time.sleep(delay)
        if is_there():
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=watch, name="presses Ctrl-C", daemon=True)
    thread.start()
    return thread
