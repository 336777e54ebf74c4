"""Benchmarks: ``python -m benchmarks`` measures, prints tables and writes JSON. Never part of the tests."""
