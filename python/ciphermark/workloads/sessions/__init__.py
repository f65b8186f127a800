"""Many threads at once, each with a session of its own: `ciphermark sessions`."""
