"""What bridges to other frameworks share: operations with derivatives, rows on threads, recent results."""
