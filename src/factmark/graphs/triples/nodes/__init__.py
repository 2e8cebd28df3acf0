"""The names of nodes that a graph has by their ids."""
