"""Given wrenches: at a point, or along a rod."""
