"""Models of cost: what a case that was not measured would cost, and how wrong that may be."""
