"""The page of the report, which opens offline, and how tables look in it and in print."""
