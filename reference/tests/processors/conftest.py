"""Random trees, shared by the tests of the tree."""

import pytest


def grow(rng, *, vocab=8, separator="_", start=1, end=2, orphans=False, depth=4):
    """A configuration with empty lists, repeated candidates, leaves without a key and, if asked, orphan keys."""
    prefixes = {}

    def node(key, level):
        candidates = [rng.randrange(vocab) for _ in range(rng.randint(0 if level else 1, 3))]
        prefixes[key] = candidates
        if level < depth:
            for token in set(candidates):
                if token != end and rng.random() < 0.7:
                    node(f"{key}{separator}{token}", level + 1)
            if orphans and rng.random() < 0.3:
                node(f"{key}{separator}{rng.randrange(vocab)}", level + 1)

    node(str(start), 0)
    return {"start_token_id": start, "end_token_id": end, "sep": separator, "prefix_dict": prefixes}


@pytest.fixture
def random_tree():
    return grow
