"""Time integration: schemes, their stages and histories."""
