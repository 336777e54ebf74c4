"""Pictures in a real notebook kernel: what a cell shows, and that it shows it once."""

import os
import queue
import re
import sys
from pathlib import Path

import pytest

manager = pytest.importorskip("jupyter_client.manager")
pytest.importorskip("ipykernel")

ROBOT = """
import supple as sp
robot = sp.Robot("r")
robot.add_link("a", sp.Rigid.box((1, 1, 1), density=1.0), joint=sp.Revolute("y"))
model = robot.compile()
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jupyter")
    started = manager.KernelManager(kernel_name="python3")
    started.kernel_spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    environment = {**os.environ, "IPYTHONDIR": str(folder), "JUPYTER_RUNTIME_DIR": str(folder)}
    environment.pop("MPLBACKEND", None)
    started.start_kernel(env=environment, cwd=str(folder))
    client = started.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    yield client
    client.stop_channels()
    started.shutdown_kernel(now=True)


def shown(client, code):
    """Kinds and data of all that a cell shows; fails if the cell does."""
    asked, results = client.execute(code), []
    while True:
        try:
            message = client.get_iopub_msg(timeout=120)
        except queue.Empty:
            pytest.fail(f"no answer to {code!r}")
        if message["parent_header"].get("msg_id") != asked:
            continue
        kind, content = message["msg_type"], message["content"]
        if kind == "error":
            pytest.fail("\n".join(content["traceback"]))
        if kind in ("display_data", "execute_result"):
            results.append((kind, content["data"], content["metadata"]))
        if kind == "status" and content["execution_state"] == "idle":
            return results


PAGE = Path(__file__).parents[2] / "docs" / "notebooks.md"


@pytest.mark.slow
def test_the_page_on_notebooks_shows_what_it_says(kernel):
    cells = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    pictures = [sum("image/" in str(data) for _, data, _ in shown(kernel, cell)) for cell in cells]
    assert pictures == [expected(cell) for cell in cells]
    assert sum(pictures) == 6


def expected(cell):
    """How many pictures a cell of the page shows: its last value, or one for each of three tensions."""
    last = cell.strip().splitlines()[-1]
    return 3 if ".show()" in cell else int(last.startswith(("model.plot(", "motion.plot(", "Image(")))


@pytest.mark.slow
def test_cells_show_pictures_once(kernel):
    shown(kernel, ROBOT)
    for prelude in ("", "import matplotlib.pyplot as plt\n", "%matplotlib inline\n"):
        ((kind, data, metadata),) = shown(kernel, prelude + "model.plot(size=(4, 3))")
        assert kind == "execute_result"
        assert data.get("image/png", "").startswith("iVBOR"), (prelude, data)  # a PNG, in base64
        assert prelude or metadata["image/png"]["width"] == 384  # else matplotlib's own size
        assert shown(kernel, "figure = model.plot('robot.png')") == []
        ((kind, data, _),) = shown(kernel, "figure.show()")
        assert (kind, "image/png" in data) == ("display_data", True)
        assert len(shown(kernel, "model.plot([0.1], show=True);")) == 1
