"""What ``tokenspec adapter new`` writes: it works at once and waits to be filled with an implementation."""
