"""Contact between shapes."""
