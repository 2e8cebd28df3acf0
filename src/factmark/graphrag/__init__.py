"""Knowledge graphs used for answering questions."""
