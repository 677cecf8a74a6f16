"""Reports: the same verdicts for a terminal, a file, a job summary and a badge."""
