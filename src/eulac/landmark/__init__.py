"""EULAC for more rows than a kernel matrix can hold, and for streams.

All that is taken from the rows are sums in a frozen feature space. `pilot` freezes it from a
sample, `machine` adds up and solves, in memory or in pieces, `landmark_model` is the fit from sums.
`stream_classifier` moves a window over a stream, `monitor` raises the alarm. The sums themselves
are in `solvers`; engines that add them up elsewhere, in `distributed`.
"""
