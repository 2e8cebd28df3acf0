"""What a store says of its datasets and patients, as passages."""
