"""The pytest face of the suite: ``pytest --pyargs tokenspec.suite --impl my.mod:adapter``."""
