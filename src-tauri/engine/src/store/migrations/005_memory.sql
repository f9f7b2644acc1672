-- What is remembered beside the history: facts about tools, and what was done with them.

CREATE TABLE memory (
  key     INTEGER PRIMARY KEY AUTOINCREMENT, -- its name for people; never used twice
  context TEXT NOT NULL,    -- tool:grep, tool:grep:usage, decisions, session:<id>, …
  name    TEXT NOT NULL,    -- of the context: what stands before its first colon
  kind    TEXT NOT NULL,    -- fact, action, decision, observation or feedback
  source  TEXT NOT NULL,    -- validator, executor, user, agent or system
  slot    TEXT,             -- set where a context has only one memory of a sort, which a newer one replaces
  times   INTEGER NOT NULL, -- how often that came
  session INTEGER,          -- goes with this session; null: belongs to none
  at      INTEGER NOT NULL,
  version TEXT NOT NULL,    -- SHA-256 of the payload: what has not changed is not written again
  payload TEXT NOT NULL,    -- JSON
  UNIQUE (context, slot)
) STRICT;
CREATE INDEX memory_name ON memory (name, kind);
CREATE INDEX memory_session ON memory (session) WHERE session IS NOT NULL;

CREATE TABLE memory_link (
  memory   INTEGER NOT NULL,
  relation TEXT NOT NULL,   -- related_to, extends, reinforces or contradicts
  context  TEXT NOT NULL,
  PRIMARY KEY (memory, relation, context)
) STRICT, WITHOUT ROWID;
