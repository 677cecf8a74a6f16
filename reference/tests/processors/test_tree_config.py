"""Loading a tree: every rule refuses by itself, with a pointer to the place."""

import argparse
import json

import pytest

from tokenspec_reference.processors import (
    ConfigError,
    ReloadableTree,
    TreeLogitsProcessor,
    add_tree_decode_argument,
    compile_tree,
    load_tree,
    read_tree,
    tree_config_path,
)


def tree(prefixes=None, **fields):
    return {
        "start_token_id": 1,
        "end_token_id": 2,
        "prefix_dict": {"1": [3], "1_3": [2]} if prefixes is None else prefixes,
    } | fields


TYPES = [
    ("[1,2,3]", "", "root-not-object"),
    ("42", "", "root-not-object"),
    ("null", "", "root-not-object"),
    ('{ "start_token_id": 1, "end_token_id": 2, INVALID }', "", "json-syntax"),
    ('{"prefix_dict": {"1": [1', "", "json-syntax"),
    ('{"prefix_dict": {}} trailing', "", "json-syntax"),
    ("", "", "json-syntax"),
    ('{"prefix_dict": [1,2,3]}', "/prefix_dict", "prefix-dict-type"),
    ('{"prefix_dict": 5}', "/prefix_dict", "prefix-dict-type"),
    ('{"prefix_dict": "x"}', "/prefix_dict", "prefix-dict-type"),
    ('{"prefix_dict": null}', "/prefix_dict", "prefix-dict-type"),
    ('{"prefix_dict": {"k": 5}}', "/prefix_dict/k", "candidates-type"),
    ('{"prefix_dict": {"k": null}}', "/prefix_dict/k", "candidates-type"),
    ('{"prefix_dict": {"k": {"nested": 1}}}', "/prefix_dict/k", "candidates-type"),
    ('{"prefix_dict": {"k": [1, "x", 3]}}', "/prefix_dict/k/1", "candidate-type"),
    ('{"prefix_dict": {"k": [true]}}', "/prefix_dict/k/0", "candidate-type"),
    ('{"prefix_dict": {"k": [null]}}', "/prefix_dict/k/0", "candidate-type"),
    ('{"prefix_dict": {"k": [1.0]}}', "/prefix_dict/k/0", "candidate-type"),
    ('{"prefix_dict": {"k": [1, {"a": 1}]}}', "/prefix_dict/k/1", "candidate-type"),
    ('{"prefix_dict": {"k": [[1, 2], [3]]}}', "/prefix_dict/k/0", "candidate-type"),
    ('{"prefix_dict": {"": [1]}}', "/prefix_dict/", "key-empty"),
    ('{"start_token_id": "abc"}', "/start_token_id", "token-id-type"),
    ('{"start_token_id": 225.0}', "/start_token_id", "token-id-type"),
    ('{"start_token_id": {"x": 1}}', "/start_token_id", "token-id-type"),
    ('{"start_token_id": null}', "/start_token_id", "token-id-type"),
    ('{"end_token_id": true}', "/end_token_id", "token-id-type"),
    ('{"end_token_id": [2]}', "/end_token_id", "token-id-type"),
    ('{"start_token_id": 3000000000}', "/start_token_id", "token-id-int32"),
    ('{"end_token_id": -3000000000}', "/end_token_id", "token-id-int32"),
    ('{"sep": 5}', "/sep", "sep-type"),
    ('{"sep": null}', "/sep", "sep-type"),
]


@pytest.mark.parametrize("mode", ["strict", "lenient", "upstream"])
@pytest.mark.parametrize(("text", "pointer", "rule"), TYPES)
def test_wrong_types_are_refused_in_every_mode(mode, text, pointer, rule):
    with pytest.raises(ConfigError) as caught:
        read_tree(text, mode=mode)
    assert [(problem.pointer, problem.rule) for problem in caught.value.problems] == [(pointer, rule)]
    if rule != "json-syntax":
        with pytest.raises(ConfigError) as again:
            read_tree(json.loads(text), mode=mode) if isinstance(json.loads(text), dict) else read_tree(text)
        assert again.value.problems == caught.value.problems


STRICT = [
    (tree({}), [("/prefix_dict", "root-key-missing")]),
    ({"start_token_id": 1}, [("", "prefix-dict-missing")]),
    (tree({"1_3": [2]}), [("/prefix_dict", "root-key-missing")]),
    (tree(start_token_id=-1), [("/start_token_id", "start-token-range"), ("/prefix_dict", "root-key-missing")]),
    (tree(end_token_id=-2), [("/end_token_id", "end-token-range")]),
    (tree(start_token_id=99), [("/start_token_id", "start-token-range"), ("/prefix_dict", "root-key-missing")]),
    (tree(end_token_id=8), [("/end_token_id", "end-token-range")]),
    (tree(sep=""), [("/sep", "sep-empty")]),
    (tree(sep="7"), [("/sep", "sep-ambiguous")]),
    (tree(sep="-"), [("/sep", "sep-ambiguous")]),
    (tree({"1": [-3, 3, 9]}), [("/prefix_dict/1/0", "candidate-negative"), ("/prefix_dict/1/2", "candidate-range")]),
    (tree({"1": [3], "1_03": [4]}), [("/prefix_dict/1_03", "key-malformed")]),
    (tree({"1": [3], "1_+3": [4]}), [("/prefix_dict/1_+3", "key-malformed")]),
    (tree({"1": [3], "1_ 3": [4]}), [("/prefix_dict/1_ 3", "key-malformed")]),
    (tree({"1": [3], "a/b~c": [4]}), [("/prefix_dict/a~1b~0c", "key-malformed")]),
    (tree({"1": [3], "5_3": [4]}), [("/prefix_dict/5_3", "key-start")]),
    (tree({"1": [3], "1_4": [5]}), [("/prefix_dict/1_4", "key-orphan")]),
    (tree({"1": [3], "1_3_4": [5]}), [("/prefix_dict/1_3_4", "key-orphan")]),
    (tree({"1": [2, 3], "1_2": [5]}), [("/prefix_dict/1_2", "key-after-end")]),
    (tree({"1": [2, 3], "1_2_3": [5]}), [("/prefix_dict/1_2_3", "key-after-end")]),
    (
        tree({"1": [3], "1_3": [], "1_4": [6], "1_4_6": [2]}),
        [("/prefix_dict/1_4", "key-orphan"), ("/prefix_dict/1_4_6", "key-orphan")],
    ),
]


@pytest.mark.parametrize(("config", "problems"), STRICT)
def test_strict_lists_every_defect(config, problems):
    with pytest.raises(ConfigError) as caught:
        compile_tree(config, vocab_size=8)
    found = [(problem.pointer, problem.rule) for problem in caught.value.problems]
    assert [pair for pair in problems if pair not in found] == []
    if not any(rule.startswith(("start", "end", "sep")) for _, rule in problems):
        assert found == problems
    assert caught.value.rejection_place == found[0][0]
    assert str(caught.value.problems[0]) in str(caught.value)


@pytest.mark.parametrize(("config", "problems"), STRICT)
def test_lenient_keeps_them_as_warnings(config, problems):
    if any(rule == "end-token-range" for _, rule in problems):
        with pytest.raises(ConfigError):
            compile_tree(config, mode="lenient", vocab_size=8)
        return
    store = compile_tree(config, mode="lenient", vocab_size=8).store
    found = [(problem.pointer, problem.rule) for problem in store.warnings]
    assert [pair for pair in problems if pair not in found] == []


def test_duplicate_keys():
    text = (
        '{"start_token_id": 9, "start_token_id": 1, "prefix_dict": {"1": [3], "1": [4]}, "prefix_dict": {"1_4": [2]}}'
    )
    with pytest.raises(ConfigError) as caught:
        read_tree(text)
    pointers = [(problem.pointer, problem.rule) for problem in caught.value.problems]
    assert pointers == [
        ("/start_token_id", "duplicate-key"),
        ("/prefix_dict/1", "duplicate-key"),
        ("/prefix_dict", "duplicate-key"),
    ]
    store = read_tree(text, mode="lenient")
    assert (store.start, dict(store.prefixes)) == (1, {"1": (4,), "1_4": (2,)})


@pytest.mark.parametrize(
    ("config", "prefixes"),
    [
        ({"start_token_id": 224, "end_token_id": 1, "prefix_dict": {"1_2": [3, 4, 5]}}, {"1_2": (3, 4, 5)}),
        (
            {"sep": "-", "prefix_dict": {"a-b": [10, 20, 30], "a-b-c": [40, 50]}},
            {"a-b": (10, 20, 30), "a-b-c": (40, 50)},
        ),
        ({"prefix_dict": {"leaf": []}}, {"leaf": ()}),
        ({"prefix_dict": {"k": [5, 5, 3, 3, 5]}}, {"k": (3, 5)}),
        ({"prefix_dict": {"k": [10, 3000000000, 20]}}, {"k": (10, 20)}),
        ({"prefix_dict": {"neg": [-10, 5, -3, 7], "all_neg": [-1, -2]}}, {"neg": (5, 7), "all_neg": ()}),
        ({"prefix_dict": {"100": [-5, 10, -1, 20]}, "start_token_id": 100}, {"100": (10, 20)}),
    ],
)
def test_what_upstream_loads_lenient_loads(config, prefixes):
    for mode in ("lenient", "upstream"):
        assert dict(read_tree(config, mode=mode).prefixes) == prefixes


def test_unknown_fields_are_skipped_whole():
    text = json.dumps(
        {
            "metadata": {"author": {"prefix_dict": {"nested": [1]}}},
            **tree(),
            "extra_list": [1, 2, [3, 4], {"x": 5}],
            "tail": {"a": {}},
        }
    )
    found = read_tree(text, mode="lenient")
    assert dict(found.prefixes) == {"1": (3,), "1_3": (2,)}
    assert read_tree(json.loads(text), mode="lenient") == found
    assert [problem.pointer for problem in found.warnings] == ["/metadata", "/extra_list", "/tail"]


@pytest.mark.parametrize("name", ["end_token", "End_Token_Id", "end-token-id", "end_token_ID"])
def test_a_misspelt_field_is_refused_with_the_nearest(name):
    with pytest.raises(ConfigError, match="did you mean 'end_token_id'"):
        read_tree({**tree(), name: 5})


def test_seed_example_ends_at_once():
    seed = {
        "start_token_id": 225,
        "end_token_id": 2,
        "sep": "_",
        "prefix_dict": {"225_64000": [64001, 64002], "225_64000_64001": [2]},
    }
    with pytest.raises(ConfigError, match='no key "225"'):
        read_tree(seed)
    assert read_tree(seed, mode="lenient").candidates("225") == (2,)


def test_arguments():
    with pytest.raises(ConfigError, match="mode"):
        read_tree(tree(), mode="loose")
    with pytest.raises(ConfigError, match="vocab_size"):
        read_tree(tree(), vocab_size=0)
    with pytest.raises(ConfigError, match="not a JSON value"):
        read_tree({"prefix_dict": {"1": {3}}})
    with pytest.raises(ConfigError, match="keys must be strings"):
        read_tree({"prefix_dict": {1: [3]}})


def test_load_from_file(tmp_path):
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(tree()))
    assert load_tree(path, vocab_size=8).keys == ("1", "1_3")
    assert load_tree(path, progress=True).store == load_tree(path).store
    with pytest.raises(ConfigError, match="cannot read"):
        load_tree(tmp_path / "missing.json")
    with pytest.raises(ConfigError, match="cannot read"):
        load_tree(tmp_path)
    path.write_bytes(b'{"prefix_dict": {"1": [\xff')
    with pytest.raises(ConfigError, match="not a JSON document"):
        load_tree(path)


def test_where_a_server_looks():
    environ = {"TREE_DECODE_CONFIG": "env.json"}
    assert str(tree_config_path("/ckpt", environ=environ)).replace("\\", "/") == "/ckpt/env.json"
    assert tree_config_path("/ckpt", "sub/arg.json", environ=environ).name == "arg.json"
    assert tree_config_path("/ckpt", "", environ=environ) is None
    assert tree_config_path("/ckpt", environ={}) is None
    for name in ("/etc/tree.json", "../tree.json"):
        with pytest.raises(ConfigError, match="below the checkpoint"):
            tree_config_path("/ckpt", name)
    parser = argparse.ArgumentParser()
    add_tree_decode_argument(parser)
    assert parser.parse_args(["--tree_decode_config", "a.json"]).tree_decode_config == "a.json"
    assert parser.parse_args([]).tree_decode_config is None


def test_a_reload_is_for_requests_to_come(tmp_path):
    path, other = tmp_path / "tree.json", tmp_path / "other.json"
    path.write_text(json.dumps(tree()))
    other.write_text(json.dumps(tree({"1": [4], "1_4": [2]})))
    trees = ReloadableTree(path, vocab_size=8)
    running = TreeLogitsProcessor(trees.tree)
    trees.reload_prefix_dict(other)
    begun = TreeLogitsProcessor(trees.tree)
    assert [one.allow(one.init(1)).to_lists() for one in (running, begun)] == [[[3]], [[4]]]
    other.write_text("{")
    for bad in (None, tmp_path / "missing.json"):
        with pytest.raises(ConfigError):
            trees.reload_prefix_dict(bad)
        assert trees.path == other
    assert TreeLogitsProcessor(trees.tree).allow(begun.init(1)).to_lists() == [[4]]
    path.write_text(json.dumps(tree({"1": [5], "1_5": [2]})))
    assert trees.reload_prefix_dict(path) is trees.tree
    assert trees.path == path
