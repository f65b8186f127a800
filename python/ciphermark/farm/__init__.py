"""Many machines: a Dask cluster that is reached, and what its workers do for us."""
