"""Read-outs: what a state of a robot means in forces, strains, powers; pure functions of a model and a state.

Most people ask a `Model`, an `Equilibrium` or a `Trajectory`, whose methods of the same names call these.
"""
