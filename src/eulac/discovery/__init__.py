"""New rows become new classes: how many there are, and which rows belong together.

Enters: a fitted classifier, labeled rows and a pool. Leaves: `NewClasses`. Spaces and ways of
grouping are chosen by hiding known classes and looking for them; no label of a new class is needed.
The core works on arrays: rows of known classes with their codes, and rows to be grouped.
"""
