"""Ratings that people gave elsewhere: read from the files they are published in, into a ledger."""
