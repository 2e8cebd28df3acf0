"""What providers speak: a file for each protocol, which writes requests and reads replies."""
