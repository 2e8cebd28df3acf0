"""What people are asked, in which order, and what they answered. Pure."""
