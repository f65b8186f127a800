"""Advice: which suite to use, and by how much it is better."""
