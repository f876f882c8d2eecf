"""The kernel machine on landmarks: chunks, streams and clusters, one answer for all of them.

Enters: rows in any portions. Leaves: a `LandmarkModel`, learned from sums over rows that can be
added and subtracted; for streams also the monitor's alarm. What must be frozen before rows can be
summed (scaler, bandwidth, landmarks) comes from a sample by hash. Does not see other families.
"""
