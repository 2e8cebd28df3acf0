"""Models that are asked a benchmark's questions, under grounding conditions."""
