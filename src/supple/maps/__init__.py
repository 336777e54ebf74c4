"""Compiled maps g(q) of joints, each one file: what the sweeps call by address (`supple.core.blocks.custom`)."""
