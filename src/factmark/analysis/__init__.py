"""Agreement, comparison and planning over ledgers and results."""
