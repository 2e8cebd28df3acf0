"""Question sets for knowledge graphs: read from files, and what they cover."""
