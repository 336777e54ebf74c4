"""The command line: ``supple info``, ``supple check``."""
