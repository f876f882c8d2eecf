"""Run the command line as ``python -m eulac``."""

from eulac.cli.main import main

if __name__ == "__main__":
    main()
