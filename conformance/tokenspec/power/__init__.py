"""The power of the suite: edits of the reference's source, and which of them the suite notices."""
