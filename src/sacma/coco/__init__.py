"""COCO: its suites and functions, the data that it writes, and cocopp's pages."""
