"""The adapter protocol: how a program behind a pipe speaks. Conversations are judged, not results."""
