from documented_defaults import documented_defaults


def test_defaults_are_those_the_docstrings_state():
    found = documented_defaults("proportion")
    assert len(found) >= 20
    assert {place: pair for place, pair in found.items() if pair[0] != pair[1]} == {}
