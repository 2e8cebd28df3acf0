"""Tables and the page of a campaign's results. Pure."""
