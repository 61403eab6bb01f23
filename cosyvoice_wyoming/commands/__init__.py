"""The commands of the command line, one module each: `register(subparsers)`, `run(args) -> int`."""
