"""Passages of a store: what it says of its datasets and its patients, in words."""
