"""Commands for models that are deployed: what a model is, and how its stream is doing."""
