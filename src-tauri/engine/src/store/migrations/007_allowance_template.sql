-- What a tool that others wrote down did when it was allowed: a digest of that. Null for tools of Assent's own; one that
-- was allowed before this asks once more.
ALTER TABLE allowance ADD COLUMN template TEXT;
