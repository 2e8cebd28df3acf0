"""The tables called `kept_`, which hold numbers for ids: how they are filled, and came to be."""
