"""Laws of time: small picklable functions for loads, inputs and prescribed motions.

A law is called as ``law(t)`` and knows its exact ``rate(t)`` and ``acceleration(t)``.  Values are numbers or arrays of
one shape.  ``breaks`` are the times at which the law or its rate jumps; there its derivatives are those from the right.
Laws add and multiply: ``Ramp(0, 1, 0, 2) * Sine(0.3, 1.5)``.
"""

from supple.laws.formulas import Polynomial, Ramp, Sine
from supple.laws.law import Constant, Law, Product, Sum
from supple.laws.tables import Spline, Steps, Table

__all__ = ["Constant", "Law", "Polynomial", "Product", "Ramp", "Sine", "Spline", "Steps", "Sum", "Table"]
