"""Importing this first thing takes over Ctrl-C if the process is the command ``supple``, and does nothing otherwise."""

from supple.cli.signals import guard

guard()
