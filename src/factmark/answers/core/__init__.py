"""Facts of an answer, matched with the ground truth; completeness, hallucination, score. Pure."""
