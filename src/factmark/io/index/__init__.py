"""Passages found again: by words, by vectors, or both; kept on disk."""
