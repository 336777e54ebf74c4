"""Models and a motion for tests of the studio."""

import numpy as np
import pytest
from studio_robots import make_arm, make_four_bar

#: Run by its own command, where there is a browser: its name on the command line is heeded all the same.
collect_ignore = ["browser_check.py", "first_use_check.py"]


@pytest.fixture(scope="session")
def arm():
    model = make_arm().compile()
    model.step(model.statics().q, np.zeros(model.n), None, 1e-3)  # compiled before any test waits for a thread
    return model


@pytest.fixture(scope="session")
def four_bar():
    return make_four_bar().compile()


@pytest.fixture(scope="session")
def motion(arm):
    return arm.simulate(np.linspace(0.0, 0.3, 16), u=[1.0, 0.0])
