"""What a graph says of a question, answers by rule, scores. Pure."""
