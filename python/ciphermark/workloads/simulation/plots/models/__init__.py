"""Plots of what models of processors are worth."""
