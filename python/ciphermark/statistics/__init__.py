"""Statistics of figures: estimates, medians, ratios, lines. Imports nothing but the contract."""
