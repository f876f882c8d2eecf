"""What every classifier does, whatever its family.

Enters: arrays, frames and masked labels of users; held-out scores of a family. Leaves: checked
rows in canonical order, and answers (labels, probabilities, scores). Opening, scaling, deciding,
answering and scoring are written here once. What only one family needs stays in its own room.
"""
