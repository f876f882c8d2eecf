"""The page about a model and its pool, groups of new rows, and naming them.

Enters: a `TableModel` and unlabeled rows. Leaves: one HTML page that needs no network, groups, and
a model that knows the classes somebody named (`promote`). Findings are computed first and drawn
second. The room of matplotlib and jinja2, which come with the extra `report`.
"""
