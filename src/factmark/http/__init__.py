"""What every HTTP client and server here shares: retries, hosts, connections, ports."""
