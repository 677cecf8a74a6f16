"""How a program speaks: one check a requirement of the adapter protocol, judged on a written-down conversation."""
