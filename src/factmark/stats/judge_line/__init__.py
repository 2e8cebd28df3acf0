"""A mean of people's values corrected by a line in what a judge gave: ratings, scores. Pure."""
