"""Passages of text, found again by words or vectors; kept on disk."""
