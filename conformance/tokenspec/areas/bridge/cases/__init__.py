"""What was sampled, bridged to the next turn, as pieces relative to a row (`tokenspec.oracle.completion`)."""
