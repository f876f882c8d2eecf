"""One page about a classifier and a pool: what is new, how sure that is, and which rows to name.

What may enter: findings as numbers, the checks and figures of the page, groups of new rows, and how
named groups become known classes. `jinja2` is used here alone. Nothing is fetched by the page.
"""
