"""What stored runs say of machines: which there are, what they cost, and which are alike."""
