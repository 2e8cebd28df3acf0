"""Judges by one's own weights, in this process: what is in their files, and how they are run."""
