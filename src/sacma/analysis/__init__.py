"""From committed records to tables and cocopp's pages."""
