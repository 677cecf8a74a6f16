"""The engines corpus: tables, tiny models, refusals, rules, fusion and agreement."""
