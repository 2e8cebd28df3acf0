"""Units whose right answer is known: training, gold among the work, a check; in no result."""
