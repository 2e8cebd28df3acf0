"""What comes of a call: the table of errors, and what a server turned out not to take."""
