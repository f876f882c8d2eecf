"""What a trial can run, by name: `trial_methods.py` lists it, the other modules are its kinds."""
