"""The paper's kernel machine, exact on as many rows as a kernel matrix can hold.

`kernel_classifier` is the scikit-learn class: parameters, rows, progress. `kernel_model` searches,
decides and solves on scaled rows and codes; it knows no labels of users. Losses and kernels are in
`maths`, solvers and their cross validation in `solvers`.
"""
