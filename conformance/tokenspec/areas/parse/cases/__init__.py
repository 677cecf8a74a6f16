"""What a sampler emitted, parsed; completions are pieces relative to a row (`tokenspec.oracle.completion`)."""
