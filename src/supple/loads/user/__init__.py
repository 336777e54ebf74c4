"""Laws that users write."""
