"""Parts that plots of all workloads share."""
