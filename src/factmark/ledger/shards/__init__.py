"""Ledgers of the parts of a study: several become one, one becomes several, and their upkeep."""
