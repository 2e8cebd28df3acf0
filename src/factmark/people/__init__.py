"""Campaigns: people rate, mark or label what a study is about."""
