"""What is run and shown: a package for each workload, which `ciphermark.workload` finds by name."""
