"""A page of our own over a campaign: annotators open their link and answer."""
