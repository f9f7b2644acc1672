-- Plans that a person keeps, each a copy of its own: it stays when the chat that it comes from is deleted.

CREATE TABLE saved_plan (
  key      INTEGER PRIMARY KEY,
  id       TEXT NOT NULL UNIQUE,
  name     TEXT NOT NULL,
  folded   TEXT NOT NULL UNIQUE, -- the name in small letters: no two may differ in nothing else
  tags     TEXT NOT NULL,        -- JSON: a list of texts
  title    TEXT NOT NULL,
  message  TEXT NOT NULL,        -- that the plan answered; its beginning, where it is long
  outline  TEXT NOT NULL,        -- JSON: the beginnings of the first steps, for lists and for search
  steps    INTEGER NOT NULL,     -- how many there are
  saved_at INTEGER NOT NULL,
  used_at  INTEGER,
  uses     INTEGER NOT NULL DEFAULT 0,
  document TEXT NOT NULL         -- JSON: assent.plan/1, whole
) STRICT;
