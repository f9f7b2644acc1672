-- How often anything was remembered or forgotten, so that whoever keeps what past calls teach sees that it has changed.
ALTER TABLE counter ADD COLUMN memory_changes INTEGER NOT NULL DEFAULT 0;
