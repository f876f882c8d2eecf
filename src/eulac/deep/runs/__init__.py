"""What a training run needs beside the loop itself.

Its plan from rows and time, phases, averaged weights, batches of loaders, sums over processes.
Enters: tensors, loaders and settings. Nothing here is part of a fitted model.
"""
