//! The registry of specialists: a forest in which delegators have children and leaves have tools.
