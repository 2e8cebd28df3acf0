"""The commands `factmark annotate ...`."""
