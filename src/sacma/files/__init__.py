"""Files, texts and modules from anywhere: written atomically, read within bounds, printed safely, imported by name."""
