"""Campaigns that change on the way: people who leave and who join, and what is dealt again."""
