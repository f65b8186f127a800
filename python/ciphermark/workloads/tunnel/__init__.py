"""The workload `tunnel`: traffic through real tunnels between network namespaces."""
