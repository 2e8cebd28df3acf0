"""What people marked in answers: sheets to mark, and marks read back."""
