"""The questions of a study: benchmarks and their ground truths."""
