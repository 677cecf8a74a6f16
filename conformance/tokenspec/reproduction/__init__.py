"""A divergence as something that can be sent to whoever wrote the implementation.

``issue`` writes the text for one cause of a saved run, ``shrinking`` finds its smallest input, ``scripts`` are the few
lines that show it without this suite. ``kept`` are those that are kept as data and run by a test.
"""
