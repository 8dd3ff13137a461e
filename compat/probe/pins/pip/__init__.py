"""What pip reads: requirement and constraint files, and what compilers of them write."""
