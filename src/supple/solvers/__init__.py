"""Statics and time integration: compiled loops on the residual and its tangent, which they call by address."""
