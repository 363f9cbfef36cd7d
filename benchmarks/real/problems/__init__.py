"""The problems, a module a kind: in each, one for development and one to be judged by."""
