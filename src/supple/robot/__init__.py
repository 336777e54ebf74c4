"""The description of a robot: links, bodies, checks of what people write, tables of it."""
