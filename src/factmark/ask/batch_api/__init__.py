"""Asking through a provider's batch API: half the price, and replies within a day."""
