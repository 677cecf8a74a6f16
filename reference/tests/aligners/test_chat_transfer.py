"""Conversations in two wire formats: every byte of a body in one chunk, nothing lost, rollouts as they are."""

import random
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_tokenizers import LARGE, SMALL, TOKENIZERS

from tokenspec_reference.aligners import AlignmentInputError, ChatAligner, TokenAligner, batch_of
from tokenspec_reference.aligners.loss_utils import chunk_log_prob_sums
from tokenspec_reference.renderers import create_renderer

STUDENT = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.reasoning_content %}<think>\n{{ m.reasoning_content }}\n</think>\n\n{% endif %}{{ m.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TEACHER = (
    "{% for m in messages %}{% if m.role != 'system' %}[{{ m.role }}] {{ m.content | trim }}</s>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}[assistant] {% endif %}"
)
CHAT = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": " hi hi\n"},
    {"role": "assistant", "content": "héhi 中文 👍🏽", "reasoning_content": "hi?"},
    {"role": "user", "content": "</think>"},
    {"role": "assistant", "content": "th"},
]
WORDS = st.text(alphabet="hi thé中👍 <>", max_size=8)


def aligner(student="small", teacher="large", templates=(STUDENT, TEACHER)):
    return ChatAligner(
        *(
            create_renderer(TOKENIZERS[name], family="template", chat_template=template)
            for name, template in zip((student, teacher), templates, strict=True)
        )
    )


def spelled(tokenizer, side):
    """Per chunk, what its tokens decode to."""
    found = {}
    for token_id, chunk in zip(side.token_ids, side.chunk_id, strict=True):
        found.setdefault(chunk, []).append(token_id)
    return [tokenizer.decode(ids) for chunk, ids in sorted(found.items()) if chunk >= 0]


@pytest.mark.parametrize("student", TOKENIZERS)
@pytest.mark.parametrize("teacher", TOKENIZERS)
def test_the_bodies_are_aligned_and_what_has_no_partner_is_listed(student, teacher):
    chat = aligner(student, teacher).align(CHAT)
    assert {(gone.message, gone.side, gone.text) for gone in chat.unaligned} == {
        (0, "student", "be brief"),
        (1, "student", " "),
        (1, "student", "\n"),
        (2, "student", "hi?"),
    }
    text = "hi hi" + "héhi 中文 👍🏽" + "</think>" + "th"
    for side in (chat.student, chat.teacher):
        assert sum(side.weights) == len(text.encode())
        assert sorted({chunk for chunk in side.chunk_id if chunk >= 0}) == list(range(chat.num_chunks))
    assert all(body for body, chunk in zip(chat.teacher.is_body, chat.teacher.chunk_id, strict=True) if chunk >= 0)


def test_chunks_spell_the_same_apart_from_the_edges_of_bodies():
    chat = aligner().align(CHAT)
    ours, theirs = spelled(SMALL, chat.student), spelled(LARGE, chat.teacher)
    assert [a.strip() for a in ours] == [b.strip().removeprefix("]").strip() for b in theirs]
    assert theirs[0] == "] hi"  # one token holds the header's end and the first word


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), WORDS), max_size=4), st.randoms())
def test_every_byte_of_a_body_is_in_one_chunk_and_sums_come_back(turns, draws):
    messages = [{"role": role, "content": content} for role, content in turns]
    chat = aligner(templates=(STUDENT, STUDENT)).align([{"role": "user", "content": "q"}, *messages])
    assert not chat.unaligned
    size = 1 + sum(len(content.encode()) for _, content in turns)
    assert sum(chat.student.weights) == sum(chat.teacher.weights) == size
    values = [draws.uniform(-5, 0) for _ in chat.student.token_ids]
    there = chat.carry(values)
    back = chat.carry([value or 0.0 for value in there.values], to="student")
    assert there.total + there.left == pytest.approx(sum(values))
    assert back.total == pytest.approx(there.total)
    ones = chat.carry([2.5] * len(values), how="mean").values
    assert all(value == pytest.approx(2.5) for value in ones if value is not None)


def test_a_rollout_is_taken_as_it_was_sampled():
    made = aligner()
    render = made.student.render(CHAT)
    end = SMALL.convert_tokens_to_ids("<|im_end|>")
    ids, sampled = [], []
    for token_id, mask in zip(render.token_ids, render.sampled_mask, strict=True):
        pieces = [token_id]
        if mask and token_id != end:  # what a model may sample, and no encoder writes: one token a byte
            token = SMALL.convert_ids_to_tokens(token_id)
            pieces = SMALL.convert_tokens_to_ids(list(token))
        ids += pieces
        sampled += [mask] * len(pieces)
    assert ids != render.token_ids
    chat = made.align(CHAT, rollout=SimpleNamespace(token_ids=ids, sampled_mask=sampled))
    assert chat.student.token_ids == ids
    assert chat.teacher.weights == made.align(CHAT).teacher.weights
    assert chat.unaligned == made.align(CHAT).unaligned
    assert sum(chat.student.weights) == sum(chat.teacher.weights)


def test_a_thought_that_history_drops_is_found_in_the_rollout_and_what_is_not_there_is_listed():
    template = STUDENT.replace("m.reasoning_content %}", "m.reasoning_content and loop.last %}")
    made = aligner(templates=(template, STUDENT))
    last = made.student.render(CHAT[:3])
    chat = made.align(CHAT, rollout=last)
    assert ("student", "hi?") not in {(gone.side, gone.text) for gone in chat.unaligned}
    assert {(gone.message, gone.side, gone.why) for gone in chat.unaligned} == {
        (message, "teacher", "the ids of the rollout do not spell this message") for message in (3, 4)
    }


def test_no_chunk_reaches_over_the_end_of_a_prompt():
    template = "{% for m in messages %}[{{ m.role }}] {{ m.content }}</s>{% endfor %}"
    made = aligner(templates=(STUDENT, template))
    chat = made.align([{"role": "user", "content": "q"}, {"role": "assistant", "content": "hi"}])
    for side in (chat.student, chat.teacher):
        flags = {}
        for chunk, mask in zip(side.chunk_id, side.sampled_mask, strict=True):
            flags.setdefault(chunk, set()).add(mask)
        assert all(len(found) == 1 for chunk, found in flags.items() if chunk >= 0)


def test_a_batch_is_what_the_losses_take():
    made = aligner()
    chats = [made.align(CHAT), made.align(CHAT[1:3])]
    batch, sides = batch_of(chats)
    assert batch.num_chunks.tolist() == [chat.num_chunks for chat in chats]
    for row, chat in enumerate(chats):
        ids, mask = sides["student"]
        assert ids[row, : len(chat.student.token_ids)].tolist() == chat.student.token_ids
        assert int(mask[row].sum()) == len(chat.student.token_ids)
        assert batch.student_chunk_id[row, : len(chat.student.chunk_id)].tolist() == chat.student.chunk_id
        assert batch.teacher_chunk_id[row, : len(chat.teacher.chunk_id)].tolist() == chat.teacher.chunk_id
    log_probs = (sides["student"][1][..., None] * -1.0).float()
    sums, _ = chunk_log_prob_sums(log_probs, batch.student_chunk_id, batch.pair_valid.shape[1])
    assert float(sums.sum()) == -sum(chunk >= 0 for chat in chats for chunk in chat.student.chunk_id)


def test_the_seeds_positional_call():
    aligned = TokenAligner(SMALL, LARGE, "projection.pt", 4)
    assert (aligned.projection_matrix_path, aligned.max_combination_len) == ("projection.pt", 4)


def test_bad_input_names_its_field():
    made = aligner()
    chat = made.align(CHAT)
    with pytest.raises(AlignmentInputError, match="values: 1 numbers"):
        chat.carry([0.0])
    with pytest.raises(AlignmentInputError, match="to: "):
        chat.carry([0.0] * len(chat.student.token_ids), to="nobody")
    with pytest.raises(AlignmentInputError, match="teacher_messages"):
        made.align(CHAT, teacher_messages=CHAT[1:])
    with pytest.raises(AlignmentInputError, match=r"rollout\.token_ids\[1\]: 99999"):
        made.align(CHAT, rollout=SimpleNamespace(token_ids=[1, 99999], sampled_mask=[False, False]))
    with pytest.raises(AlignmentInputError, match=r"rollout\.sampled_mask"):
        made.align(CHAT, rollout=SimpleNamespace(token_ids=[1, 2], sampled_mask=[]))


@pytest.mark.real
@pytest.mark.parametrize(
    ("student", "teacher"), [("qwen3", "llama-3.2"), ("llama-3.2", "deepseek-v3"), ("deepseek-v3", "qwen3")]
)
def test_a_hundred_conversations_of_real_rows(student, teacher):
    from tokenspec import models as rows

    loaded = [rows.load(name) for name in (student, teacher)]
    made = ChatAligner(*(create_renderer(row.tokenizer, chat_template=row.chat_template) for row in loaded))
    draws = random.Random(5)
    words = ["hello", " Größe", "\n\n", "中文字", "👍🏽", "def f(x):", "e\u0301", " ", "1234567", "</div>", "…"]
    for _ in range(100):
        chat = [
            {"role": role, "content": "q" + "".join(draws.choices(words, k=draws.randrange(1, 30))) + "z"}
            for role in ("system", *("user", "assistant") * draws.randrange(1, 5))
        ]
        found = made.align(chat)
        assert not found.unaligned
        for side, row in zip((found.student, found.teacher), loaded, strict=True):
            normalizer = row.tokenizer.backend_tokenizer.normalizer
            spelled = [normalizer.normalize_str(m["content"]) if normalizer else m["content"] for m in chat]
            assert sum(side.weights) == sum(len(content.encode()) for content in spelled)
            assert sorted({chunk for chunk in side.chunk_id if chunk >= 0}) == list(range(found.num_chunks))
        values = [draws.uniform(-5, 0) for _ in found.student.token_ids]
        there = found.carry(values)
        back = found.carry([value or 0.0 for value in there.values], to="student")
        assert back.total == pytest.approx(there.total, rel=1e-12)
        assert there.total + there.left == pytest.approx(sum(values), rel=1e-12)
