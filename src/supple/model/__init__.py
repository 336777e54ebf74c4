"""A compiled robot and everything that can be asked of it."""
