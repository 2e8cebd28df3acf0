"""A graph on disk, looked up by questions."""
