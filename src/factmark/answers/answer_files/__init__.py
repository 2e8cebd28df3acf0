"""Files of answers: which column holds what, and their rows."""
