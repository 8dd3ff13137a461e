"""The numerical smoke battery: stand-alone, NumPy and the TensorFlow module it is given, CPython 3.8 syntax.

`case` is what a check is made of, `values` its data, `references` what must come out in float64, `wants` and `bounds` how
far off it may be, `families` the operations, `programs` what Keras does with them, `running` and `recorder` the work.
"""
