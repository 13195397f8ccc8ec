"""``python -m nbcomponent``: the command line where its script is not on the PATH."""

import sys

from nbcomponent.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
