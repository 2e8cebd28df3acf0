"""Runs in the forms of other harnesses."""
