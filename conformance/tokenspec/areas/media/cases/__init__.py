"""Conversations with pictures and videos: declared, generated, too thin, too many, bridged."""
