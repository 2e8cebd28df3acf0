"""What a reply declares, what its prose says, and what of it is a quotation. Pure."""
