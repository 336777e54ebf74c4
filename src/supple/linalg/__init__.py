"""Dense linear algebra inside kernels: factorisations of small matrices, products with sets of columns."""
