"""Weights that judge without a server, as commands list and fetch them."""
