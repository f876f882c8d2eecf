"""What every classifier does, whatever it is made of.

`input_rows` opens the rows of a call to `fit`: sample or table, labels, seed, scale, proportion.
`options` names what shared parameters may be. `answering` turns decisions into answers, held-out
ones too, and scores them. `probability_rule` decides by probabilities. What only one family of
classifiers needs stays in its room.
"""
