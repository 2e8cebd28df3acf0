"""Tables of what people gave, of judges beside them, and of a campaign at work."""
