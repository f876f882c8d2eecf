from documented_defaults import documented_defaults


def test_defaults_are_those_the_docstrings_state():
    found = documented_defaults("classifier")
    assert len(found) >= 6
    assert {place: pair for place, pair in found.items() if pair[0] != pair[1]} == {}
