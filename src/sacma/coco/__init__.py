"""COCO: suites, functions, data files and cocopp's pages."""
