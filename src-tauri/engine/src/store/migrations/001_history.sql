-- The history, and the rows that are folded from it.
-- Ids stand once in the rows of what they name; everywhere else stands the row's key.

PRAGMA application_id = 1095978580; -- "ASNT"

-- One row. Sequence numbers are never used twice, also not after a session was removed.
CREATE TABLE counter (
  next_seq INTEGER NOT NULL,
  barrier  INTEGER NOT NULL -- changed where a commit has nothing else to write
) STRICT;
INSERT INTO counter VALUES (1, 0);

CREATE TABLE session (
  key           INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  title         TEXT NOT NULL,
  kind          TEXT NOT NULL,
  workspace     TEXT,
  archived      INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  run           INTEGER, -- the latest one
  run_status    TEXT,
  open_requests INTEGER NOT NULL
) STRICT;
CREATE INDEX session_recent ON session (updated_at); -- lists begin with the last used

CREATE TABLE turn (
  key     INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  id      TEXT NOT NULL,
  at      INTEGER NOT NULL,
  status  TEXT, -- null until it is over
  UNIQUE (session, id)
) STRICT;
CREATE INDEX turn_open ON turn (key) WHERE status IS NULL;

CREATE TABLE plan (
  key     INTEGER PRIMARY KEY,
  id      TEXT NOT NULL UNIQUE,
  session INTEGER NOT NULL
) STRICT;
CREATE INDEX plan_session ON plan (session);

CREATE TABLE plan_version (
  key      INTEGER PRIMARY KEY,
  plan     INTEGER NOT NULL,
  version  INTEGER NOT NULL,
  digest   BLOB NOT NULL,
  status   TEXT NOT NULL,
  proposed INTEGER NOT NULL, -- the sequence number of its event
  document TEXT NOT NULL,
  UNIQUE (plan, version)
) STRICT;

CREATE TABLE plan_draft (
  plan       INTEGER PRIMARY KEY,
  updated_at INTEGER NOT NULL,
  document   TEXT NOT NULL
) STRICT;

CREATE TABLE comment (
  seq     INTEGER PRIMARY KEY, -- of the event, which holds the text
  plan    INTEGER NOT NULL,
  version INTEGER NOT NULL
) STRICT;
CREATE INDEX comment_plan ON comment (plan);

CREATE TABLE run (
  key          INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  session      INTEGER NOT NULL,
  turn         INTEGER,
  plan_version INTEGER NOT NULL,
  status       TEXT NOT NULL,
  steps        INTEGER NOT NULL,
  completed    INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  first_seq    INTEGER NOT NULL,
  last_seq     INTEGER NOT NULL
) STRICT;
CREATE INDEX run_session ON run (session);
CREATE INDEX run_unended ON run (key)
  WHERE status NOT IN ('completed', 'completed_with_warnings', 'failed', 'cancelled');

CREATE TABLE step (
  run     INTEGER NOT NULL,
  number  INTEGER NOT NULL, -- the order in which it came into the run
  id      TEXT NOT NULL,
  status  TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  seq     INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  turn    INTEGER,
  run     INTEGER,
  step    INTEGER, -- its number in the run
  at      INTEGER NOT NULL,
  kind    INTEGER NOT NULL,
  body    TEXT NOT NULL -- JSON without what the columns hold
) STRICT;
CREATE INDEX event_session ON event (session);

-- For people who open the file by hand; the program has the same list.
CREATE TABLE event_kind (code INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO event_kind VALUES
  (1, 'session_created'), (2, 'session_renamed'), (3, 'session_archived'), (4, 'message_received'),
  (5, 'model_replied'), (6, 'model_failed'), (7, 'plan_proposed'), (8, 'plan_approved'), (9, 'plan_rejected'),
  (10, 'plan_superseded'), (11, 'commented'), (12, 'run_queued'), (13, 'run_started'), (14, 'step_started'),
  (15, 'call_started'), (16, 'call_ended'), (17, 'call_suspended'), (18, 'call_refused'), (19, 'enforced'),
  (20, 'step_ended'), (21, 'step_reset'), (22, 'request_opened'), (23, 'request_answered'),
  (24, 'request_cancelled'), (25, 'request_expired'), (26, 'limit_reached'), (27, 'warned'), (28, 'run_ended'),
  (29, 'answered'), (30, 'turn_ended'), (31, 'call_held'), (32, 'reprompted'), (33, 'run_stop_asked');

CREATE VIEW history AS
  SELECT event.seq, session.id AS session, turn.id AS turn, run.id AS run, step.id AS step,
         datetime(event.at / 1000, 'unixepoch') AS at, event_kind.name AS kind, event.body
    FROM event
    JOIN session ON session.key = event.session
    JOIN event_kind ON event_kind.code = event.kind
    LEFT JOIN turn ON turn.key = event.turn
    LEFT JOIN run ON run.key = event.run
    LEFT JOIN step ON step.run = event.run AND step.number = event.step;

CREATE TABLE request (
  key     INTEGER PRIMARY KEY,
  id      TEXT NOT NULL UNIQUE,
  session INTEGER NOT NULL,
  opened  INTEGER NOT NULL, -- the sequence number of the event that holds it
  settled INTEGER,          -- and of the one that ended it
  status  TEXT NOT NULL,
  draft   TEXT
) STRICT;
CREATE INDEX request_open ON request (opened) WHERE status = 'open';
CREATE INDEX request_session ON request (session);

CREATE TABLE blob (
  key      INTEGER PRIMARY KEY,
  digest   BLOB NOT NULL UNIQUE, -- SHA-256 of the content
  uses     INTEGER NOT NULL,     -- by sessions and by the file history; gone with the last
  size     INTEGER NOT NULL,
  encoding TEXT NOT NULL,        -- plain or deflate
  bytes    BLOB NOT NULL
) STRICT;

CREATE TABLE blob_use (
  session INTEGER NOT NULL,
  blob    INTEGER NOT NULL,
  PRIMARY KEY (session, blob)
) STRICT, WITHOUT ROWID;
