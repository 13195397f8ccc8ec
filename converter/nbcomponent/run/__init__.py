"""Running exported components and pipelines on this machine."""
