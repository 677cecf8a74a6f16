"""Making a model a row: rendered, certified, compared with what is there, and written whole or not at all."""
