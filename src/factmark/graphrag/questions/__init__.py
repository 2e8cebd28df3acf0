"""Question sets for knowledge graphs, read from files."""
