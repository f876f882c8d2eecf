"""The page about a model and its pool, and naming groups of new rows.

Enters: a `TableModel` and unlabeled rows. Leaves: one HTML page that needs no network, and
a model that knows the classes somebody named (`promote`). Findings are computed first and drawn
second. The room of matplotlib and jinja2, which come with the extra `report`.
"""
