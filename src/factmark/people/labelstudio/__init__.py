"""A Label Studio server (1.2x, community edition): asked over HTTP, or started here."""
