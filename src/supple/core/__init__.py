"""The compiled ring: sweeps over the tree, inverse dynamics and its derivatives."""
