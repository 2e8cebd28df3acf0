"""Protocol 1: answers against a ground truth. Pure."""
