"""ciphermark: measures what cryptography costs, models what was not measured, advises what to use."""

__version__ = "0.1.0"
