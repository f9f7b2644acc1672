-- What the person has chosen, and earlier contents of files.

CREATE TABLE setting (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE file_history (
  key     INTEGER PRIMARY KEY,
  path    TEXT NOT NULL,
  session INTEGER NOT NULL,
  blob    INTEGER, -- null: the file was not there
  at      INTEGER NOT NULL
) STRICT;
CREATE INDEX file_history_path ON file_history (path);
CREATE INDEX file_history_session ON file_history (session);
