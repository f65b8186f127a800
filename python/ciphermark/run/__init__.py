"""Measure: finds the engine, starts it, and hands on what it says."""
