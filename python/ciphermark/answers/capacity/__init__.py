"""How much a machine carries: from what packets cost to rates, tunnels, cores and keys."""
