"""What a graph is like, and which of its triples look wrong: `factmark graph profile`."""
