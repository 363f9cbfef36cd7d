"""The report: one page that opens offline, made from findings."""
