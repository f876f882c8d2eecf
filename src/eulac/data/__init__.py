"""Labels, samples, folds and tables: everything about rows before anything is learned.

Enters: arrays, data frames, files, named datasets. Leaves: `LacSample` (numbers) or `LacTable`
(rows of any kind), in an order that follows from their values. Here are also the only places that
know how users write "unlabeled" and "new". Nothing here knows of scores, risks or models.
"""
