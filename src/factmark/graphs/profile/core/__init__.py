"""The pure part of a profile: edges, what is suspect of them, what they add up to."""
