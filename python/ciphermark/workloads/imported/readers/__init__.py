"""What other programs print about the speed of cryptography, read without trusting it."""
