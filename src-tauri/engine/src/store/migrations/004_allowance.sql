-- What a person has allowed for longer than one call. Taken back, a row is gone; that it was given stays in the events.

CREATE TABLE allowance (
  key       INTEGER PRIMARY KEY,
  request   TEXT NOT NULL UNIQUE, -- the id of the request whose answer gave it; it may outlive its session
  tool      TEXT NOT NULL,
  reach     TEXT NOT NULL,        -- step, run or workspace
  workspace TEXT NOT NULL,
  run       INTEGER,              -- null: it reaches beyond its run
  step      TEXT,
  at        INTEGER NOT NULL
) STRICT;
