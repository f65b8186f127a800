"""One thread, one message after the other: what `ciphermark survey` measures."""
