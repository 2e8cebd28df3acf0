"""Is a knowledge graph of use for answering? GraphRAG."""
