"""Many at once: motions on threads, any function over a grid on any executor, results in memory or in a folder."""
