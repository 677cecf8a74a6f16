"""One module per wire format; each reads like the format it describes."""
