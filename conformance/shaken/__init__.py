"""The tests and the reference's conformance under conditions that must not matter. Not shipped: it needs a checkout."""
