"""The fixtures on disk: their records, the one way they are read and written, and what was released."""
