"""The commands `factmark graph graphrag | lookup | questions`."""
