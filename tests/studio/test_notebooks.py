"""The studio in a real notebook: a fresh kernel runs it, its output is the page, and nothing outlives the kernel."""

import re
import socket
import time

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

ROBOT = """
import supple as sp
silicone = sp.Material(young=1e6, poisson=0.5, density=1000.0)
robot = sp.Robot("arm")
robot.add_link("arm", sp.Rod(0.4, sp.Circle(0.02), silicone, sp.Legendre(bend_y=1), points=3))
studio = robot.view()
studio
"""


def answers(host, port):
    try:
        socket.create_connection((host, port), timeout=2.0).close()
    except OSError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_cell_shows_the_page_and_the_server_ends_with_the_kernel():
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(ROBOT)])
    client = nbclient.NotebookClient(book, timeout=600, kernel_name="python3")
    with client.setup_kernel():
        client.execute_cell(book.cells[0], 0)
        shown = [output["data"] for output in book.cells[0].outputs if output["output_type"] == "execute_result"]
        found = re.search(r'<iframe src="http://([\d.]+):(\d+)"', shown[0]["text/html"])
        host, port = found[1], int(found[2])
        assert host == "127.0.0.1"
        assert answers(host, port)
    end = time.monotonic() + 60.0
    while answers(host, port):
        assert time.monotonic() < end, "the server outlived its kernel"
        time.sleep(0.2)
