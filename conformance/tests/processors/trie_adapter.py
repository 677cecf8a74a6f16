"""A third party's adapter in full: a nested-dictionary trie, no framework, one operation.

Run it from this folder: ``tokenspec run --area processors --impl trie_adapter:TrieAdapter``.
"""

from tokenspec.adapters import Rejected, Unsupported


class TrieAdapter:
    """Answers scripts of one strict tree; everything else is unsupported, which is printed and never a pass."""

    def info(self):
        return {"name": "nested-dict-trie", "version": "0.1", "language": "python"}

    def process_logits(self, request):
        steps = request["steps"]
        if len(request["processors"]) != 1:
            raise Unsupported("only one processor")
        [processor] = request["processors"]
        asked = {step["op"] for step in steps}
        if processor["kind"] != "tree" or processor.keys() - {"kind", "config"} or request["checked"]:
            raise Unsupported("only plain trees")
        if asked - {"allow", "advance", "reorder", "status"}:
            raise Unsupported("only allow, advance and reorder")
        config = {"start_token_id": 225, "end_token_id": 2, "sep": "_", **processor["config"]}
        trie, end = build(config), config["end_token_id"]
        rows, answers = [trie] * request["rows"], []
        for step in steps:
            if step["op"] == "status":
                answers.append({})  # an optional field that is not given
                continue
            if step["op"] == "allow":
                sets = [sorted(set(row["allowed"])) or [end] for row in rows]
                answers.append({"allowed": ["ALL" if len(ids) == request["vocab_size"] else ids for ids in sets]})
                continue
            if step["op"] == "reorder":
                if not set(step["src"]) <= set(range(len(rows))):
                    raise Unsupported("rows are not checked")
                rows = [rows[row] for row in step["src"]]
            else:
                if len(step["tokens"]) != len(rows):
                    raise Unsupported("tokens are not checked")
                active = step.get("active") or [True] * len(rows)
                rows = [
                    follow(row, tokens, end) if runs else row
                    for row, tokens, runs in zip(rows, step["tokens"], active, strict=True)
                ]
            answers.append({})
        return {"steps": answers}


def build(config):
    """Nested dictionaries: ``allowed`` ids, and ``next`` nodes for those that have an entry."""
    if config["sep"] == "":
        raise Rejected("invalid-config", "/sep: must not be empty")
    root = {"allowed": [], "next": {}}
    for key in sorted(config.get("prefix_dict", {}), key=len):
        node = root
        for part in key.split(config["sep"])[1:]:
            if not part.isdigit():
                raise Rejected("invalid-config", f"/prefix_dict/{key}: {part!r} is no token id")
            node = node["next"].setdefault(int(part), {"allowed": [], "next": {}})
        node["allowed"] = config["prefix_dict"][key]
    return root


def follow(node, tokens, end):
    """Finished and lost rows share one dead end."""
    for token in [tokens] if isinstance(tokens, int) else tokens:
        listed = token != end and token in node["allowed"] and token in node["next"]
        node = node["next"][token] if listed else {"allowed": [end], "next": {}}
    return node
