"""Bridges: what was sampled stays as it is, and the next messages are appended behind it."""
