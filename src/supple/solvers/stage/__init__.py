"""One stage of any implicit scheme: what drives it, its residual and matrix, Newton's method; accelerations; charts."""
