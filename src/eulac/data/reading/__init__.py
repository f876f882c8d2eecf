"""What a table's file does not say: how its text is written, what its dates mean.

Enters: paths of text files, columns of cells. Leaves: a `TextFormat`, and columns of numbers.
The files themselves are read in `table_formats` and `row_chunks`.
"""
