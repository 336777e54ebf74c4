"""From a description to arrays: bases, sections and inertias at their stations; loads bound to segments."""
