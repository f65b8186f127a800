"""A queue of packets from one core to others: `ciphermark packets`."""
