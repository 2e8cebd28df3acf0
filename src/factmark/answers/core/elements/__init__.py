"""What an element of the ground truth is: a thing with names, identifiers and properties (M6)."""
