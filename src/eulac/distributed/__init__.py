"""The landmark fit with its sums taken by the workers of an engine (Dask).

Enters: lazy arrays or frames of the engine and a client. Leaves: the classifier, fitted to the
same coefficients as in memory. The only room that imports an engine; it comes with the extra
`dask`. Formulas stay in `solvers` and `landmark`: workers send sums, the driver finishes.
"""
