"""Checks of the processors area: answers against the stateless oracle, and relations between scripts."""
