"""Advice: which suite to use, by how much it is better, and what would change that."""
