"""Every requirement has a check, every check a mutant, every case a requirement; and who reviewed the words."""
