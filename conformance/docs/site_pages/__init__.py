"""Pages made from what the repository already says: each module gives Markdown by path."""
