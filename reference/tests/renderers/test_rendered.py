"""Methods of RenderedTokens, on lists written by hand."""

from tokenspec_reference.renderers import RenderedTokens

INTERLEAVED = RenderedTokens(
    token_ids=[1, 2, 3, 4, 5, 6],
    message_indices=[0, 1, 1, 0, 0, 1],
    sampled_mask=[False, False, False, True, True, False],
    is_content=[False, True, True, True, True, True],
    message_roles=["assistant", "tool"],
    message_tool_names=[None, "f"],
)


def test_content_spans_hold_owned_tokens_only():
    assert INTERLEAVED.content_token_spans_by_role() == {"assistant": [(3, 5)], "tool": [(1, 3), (5, 6)]}
    by_mask = INTERLEAVED.content_mask_for_roles({"tool"})
    from_spans = [any(a <= k < b for a, b in INTERLEAVED.content_token_spans_by_role()["tool"]) for k in range(6)]
    assert by_mask == from_spans == [False, True, True, False, False, True]


def test_outer_spans_and_counts():
    assert INTERLEAVED.message_token_spans() == [(0, 5), (1, 6)]
    assert INTERLEAVED.role_token_spans() == {"assistant": [(0, 5)], "tool": [(1, 6)]}
    assert INTERLEAVED.tokens_per_message() == [3, 3]
    assert INTERLEAVED.tokens_per_message(1) == [3]
    assert INTERLEAVED.tokens_per_message(sampled_only=True) == [2, 0]
    assert INTERLEAVED.tokens_by_role(sampled_only=True) == {"assistant": 2, "tool": 0}


def test_messages_without_tokens():
    tokens = RenderedTokens(token_ids=[1], message_indices=[-1], message_roles=["user", "wizard"])
    assert tokens.message_token_spans() == [None, None]
    assert tokens.role_token_spans() == {"user": [], "wizard": []}
    assert tokens.unrendered_messages == [0, 1]
    assert RenderedTokens(token_ids=[1], message_indices=[2]).message_token_spans() == [None, None, (0, 1)]


def test_missing_masks_say_nothing():
    tokens = RenderedTokens(token_ids=[1, 2], message_indices=[0, 0], message_roles=["user"])
    assert tokens.content_token_spans_by_role() == {}
    assert tokens.content_mask_for_roles({"user"}) == [False, False]
    assert tokens.tokens_per_message(sampled_only=True) == [0]


def test_content_without_a_role_is_nobodys():
    outside = RenderedTokens(token_ids=[1, 2], message_indices=[-1, 0], is_content=[True, True], message_roles=["user"])
    assert outside.content_mask_for_roles({"user"}) == [False, True]
    assert outside.content_token_spans_by_role() == {"user": [(1, 2)]}
    without = RenderedTokens(token_ids=[1], message_indices=[0], is_content=[True])
    assert without.content_mask_for_roles({"user"}) == [False]
    assert without.content_token_spans_by_role() == {}
