"""From studies to committed trial records and canonical COCO folders."""
