"""``python -m supple`` is the command ``supple``."""

import sys

from supple.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
