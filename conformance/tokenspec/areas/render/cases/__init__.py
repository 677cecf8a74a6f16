"""The render corpus as code: one module per group of slugs, all of them written out by `python -m`.

The JSON files under `fixtures/cases/render` are the product; this package is where they are edited, because a
conversation reads better next to its neighbours than in two hundred files.
"""
