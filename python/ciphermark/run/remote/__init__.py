"""Measuring on another machine over SSH: the engine runs there, everything else is here."""
