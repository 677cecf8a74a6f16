"""Named answers are what the publishers' libraries say, asked in their own environments."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from tokenspec.cli import group
from tokenspec.curation.witness_list import Witness, read_witnesses

PUBLISHERS = [witness for witness in read_witnesses().witness if witness.publishes]


@pytest.mark.columns
@pytest.mark.parametrize("witness", PUBLISHERS, ids=lambda witness: witness.name)
def test_what_goldens_say_of_a_publisher_is_what_it_says(witness: Witness) -> None:
    for row in witness.publishes:
        chosen = ("--area", witness.area, "--row", row)
        heard = CliRunner().invoke(group, ["fixtures", "verify", "--witnesses", *chosen])
        assert heard.exit_code == 0, heard.output
        assert re.search(rf"^{re.escape(witness.title)}: .*answers otherwise [1-9]", heard.output, re.MULTILINE)
        judged = CliRunner().invoke(group, ["run", "--impl", witness.impl, *chosen, "--require-judged", "50"])
        assert judged.exit_code == 0, judged.output
