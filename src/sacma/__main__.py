"""``python -m sacma``."""

from sacma.cli import main

if __name__ == "__main__":
    main()
