"""Asking language models: the protocols, the budget, and units that become verdicts."""
