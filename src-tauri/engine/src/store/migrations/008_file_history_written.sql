-- What the change left in the file, as the digest of its bytes: only that is taken back. Null: it was remembered before
-- this, and nobody knows what somebody may have written since.
ALTER TABLE file_history ADD COLUMN written TEXT;
