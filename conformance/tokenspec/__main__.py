"""``python -m tokenspec``."""

from tokenspec.cli import main

if __name__ == "__main__":
    main()
