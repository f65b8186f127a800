"""Figures that another program has measured: its text becomes rows of one thread."""
