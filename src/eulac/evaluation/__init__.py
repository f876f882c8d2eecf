"""What answers are worth: metrics with true labels, label-free scorers, and paired comparison.

What may enter: functions of answers and labels, or of records of methods. Nothing here fits.
"""
