"""`KernelEulacClassifier`: the paper's machine, exact, up to some ten thousand rows.

Enters: a `LacSample` opened by `classifier`. Leaves: a `KernelModel`, an expansion over the
training rows with its decision rule. The formulas are in `risk`, the work is done in `solvers`;
this room joins the two. It does not see the other families.
"""
