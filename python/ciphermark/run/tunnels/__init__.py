"""Tunnels between network namespaces of this machine, and traffic through them."""
