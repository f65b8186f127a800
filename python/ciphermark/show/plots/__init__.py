"""What plots of all workloads share."""
