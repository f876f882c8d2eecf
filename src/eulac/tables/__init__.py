"""From files of columns to a model of them, and from the model to answers, errors and metrics.

What may enter: reading tables for a purpose (training, a pool, true labels), fitting a classifier
on them in memory or in pieces, and what a `TableModel` says of a table. Formats of files belong in
`data`, model files in `persistence`, words for the terminal in `cli`.
"""
