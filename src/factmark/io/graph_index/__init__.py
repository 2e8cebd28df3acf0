"""A graph on disk, looked up by questions: `opening.open_graph_index`."""
