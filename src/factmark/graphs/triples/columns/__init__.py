"""Which columns of a table hold the parts of its triples."""
