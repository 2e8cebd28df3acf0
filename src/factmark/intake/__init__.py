"""The way in: which column of anybody's file holds what, proposed, tested on the rows, signed.

    table = open_table(path, encoding)            # rows of any form; a tool's by its signature
    mapping = settled_mapping(table, "claims", named, propose, checks)  # or InputError
    for where, row in table.rows(problems):
        cell = cell_at(row, mapping.column("claim"))

A slice brings `propose` and `checks`. Names of columns stand in `tasks/TASK.toml`, the forms of
tools' files in `tools/TOOL.toml`.
"""
