"""Our kernels, compiled in many ways: by which compilers, for which targets, what comes of it."""
