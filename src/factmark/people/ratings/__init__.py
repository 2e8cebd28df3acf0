"""Protocol 2: summaries rated by people, blinded, cut into clauses. Pure."""
