"""ciphermark measures what cryptography costs, verified and with its uncertainty."""

__version__ = "0.1.0"
