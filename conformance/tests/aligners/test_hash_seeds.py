"""One answer under different seeds of string hashing (A11), in fresh processes."""

import json
import os
import subprocess
import sys

PROGRAM = """
import json, random
from tokenspec_reference.aligners import align_tokens
rng = random.Random(3)
pieces = ["a", "b", "ab", "Ġa", "中", "<0xE4>", "<0xB8>", "<0xAD>", "", "<pad>", "x", "y", "z"]
rows = []
for _ in range(40):
    student, teacher = ([rng.choice(pieces) for _ in range(30)] for _ in range(2))
    rows.append([[*pair.student, *pair.teacher, pair.is_correct] for pair in align_tokens(student, teacher)])
print(json.dumps(rows))
"""


def test_two_hash_seeds_give_one_answer():
    answers = []
    for seed in ("0", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True, timeout=300
        )
        answers.append(json.loads(done.stdout))
    assert answers[0] == answers[1]
