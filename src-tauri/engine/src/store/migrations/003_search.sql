-- Full-text search. The index holds words, not texts: a text stands where it was written, and a hit is the sequence
-- number of its event. Events after `search_state.indexed` are added before the next search.

CREATE VIRTUAL TABLE search USING fts5 (
  text, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);

CREATE TABLE search_state (indexed INTEGER NOT NULL) STRICT;
INSERT INTO search_state VALUES (0);
