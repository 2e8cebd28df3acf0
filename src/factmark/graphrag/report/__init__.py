"""Tables, charts and the page of GraphRAG results. Pure."""
