"""The cases of the aligners' area, written out of tables: texts on real tokenizers, pieces, tables, files, losses.

All text is our own. Expectations are goldens: ``tokenspec bless --area aligners`` (for ``nw-compat`` with
``TOKENSPEC_NEMO_RL`` set to a checkout of the upstream project).
"""
