"""Web servers for the studio, and who may come in.

Nothing here knows robots, or loads what computes: a page can be on its way to a browser while the rest is imported.
"""
