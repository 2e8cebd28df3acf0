"""Claims of rows, how responses are cut into them, the rule judge and the scores. Pure."""
