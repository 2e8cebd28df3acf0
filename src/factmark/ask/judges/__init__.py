"""Judges: the seam, and those that every protocol may have."""
