"""From an answer to its clauses, phrases and facts, by rules E1 to E9."""
