"""What a template prints of lists and mappings: the text is Python's or JSON's, and some of it is body."""

from tokenspec_reference.renderers.segments import joined
from tokenspec_reference.renderers.template_values import json_body, printed


def bodies(segments):
    return [segment.text for segment in segments if segment.is_body]


def test_of_a_list_of_parts_the_texts_are_body():
    parts = [{"type": "text", "text": "a"}, "b", {"text": ["c"]}, ["d"], 1]
    assert joined(printed(parts)) == str(parts)
    assert bodies(printed(parts)) == ["a", "b"]
    assert bodies(printed(parts[0], is_part=True)) == ["a"]
    assert bodies(printed(["d"], is_part=True)) == []


def test_of_a_mapping_all_values_are_body():
    result = {"sum": 3, "units": ["m", {"note": "n"}], "exact": True, "none": None}
    assert bodies(printed(result)) == bodies(json_body(result)) == ["3", "m", "n"]
    assert joined(json_body(result)) == '{"sum": 3, "units": ["m", {"note": "n"}], "exact": true, "none": null}'


def test_tuples_are_printed_as_python_prints_them():
    for value in ((), ("a",), ("a", 1)):
        assert joined(printed([value])) == str([value])
    assert joined(json_body([("a",)])) == '[["a"]]'
