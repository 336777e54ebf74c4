"""A backend of matplotlib whose windows exist in memory alone: what it was asked to show stands in `SHOWN`."""

import matplotlib
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

SHOWN = []


class Manager(FigureManagerBase):
    def __init__(self, canvas, num):
        super().__init__(canvas, num)
        if matplotlib.is_interactive():  # as those of real windows do
            self.show()

    def show(self):
        SHOWN.append(self.canvas.figure)

    @classmethod
    def start_main_loop(cls):
        """A user who closes all windows at once."""
        import matplotlib.pyplot as plt

        SHOWN.append("waited")
        plt.close("all")


class FigureCanvas(FigureCanvasAgg):
    manager_class = Manager


FigureManager = Manager
