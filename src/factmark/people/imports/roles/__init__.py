"""Which column of a table of ratings holds what, by names and rows. Pure."""
