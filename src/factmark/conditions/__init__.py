"""A model under test, alone or with something to answer from."""
