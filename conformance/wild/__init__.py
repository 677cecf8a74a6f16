"""Chat templates from public packages, against the renderer of any template. Not shipped: it needs a checkout."""
