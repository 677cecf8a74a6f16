"""The map of NFC positions against one that looks at every character."""

import codecs
import random
import unicodedata

from tokenspec_reference.aligners.unicode_forms import INSIDE, normal_text, shortest_segments, units

POOL = [*"ab é\n", *map(chr, (0x301, 0x308, 0x323, 0x327, 0x344, 0xF71, 0xF72, 0xF73, 0x9BE, 0x9C7, 0xB47, 0xB56))]
POOL += map(chr, (0x1100, 0x1161, 0x11A8, 0xAC00, 0xAC01, 0x212B, 0xF900, 0x958, 0x3099, 0x30AB, 0x4E2D, 0x1EBF))
POOL += map(chr, (0x200D, 0x1F600, 0x1D15E, 0x2ADC, 0x11935, 0x11930, 0xDCA0))


def plain(raw):
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    data, position, open_from, unit = b"", [0], 0, ""
    for unit in units(decoder.decode(raw)):
        open_from = len(data)
        for segment in shortest_segments(unit):
            both = [
                form.encode("utf-8", "surrogateescape") for form in (segment, unicodedata.normalize("NFC", segment))
            ]
            position += [len(data) + x if both[0] == both[1] else INSIDE for x in range(1, len(both[0]))]
            data += both[1]
            position.append(len(data))
    pending = decoder.getstate()[0]
    position += range(len(data) + 1, len(data) + len(pending) + 1)
    return data + pending, position, open_from, unicodedata.normalize("NFD", unit), pending


def test_the_map_is_that_of_every_character():
    rng = random.Random(7)
    for _ in range(3000):
        raw = "".join(rng.choices(POOL, k=rng.randint(0, 9))).encode("utf-8", "surrogateescape")
        raw = raw[: rng.randint(0, len(raw))] if rng.random() < 0.3 else raw
        found = normal_text(raw)
        assert (found.data, found.position.tolist(), found.open_from, found.open_unit, found.pending) == plain(raw)
