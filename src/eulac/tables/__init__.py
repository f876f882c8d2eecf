"""From a file of columns to a model of them, and back to answers.

Enters: data frames or files too long for memory, and any classifier. Leaves: a `TableModel`, which
holds the treatment of columns together with the fitted classifier, its answers and its label-free
error. Reading formats is in `data`; writing models to files is in `persistence`.
"""
