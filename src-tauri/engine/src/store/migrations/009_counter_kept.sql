-- From here on the counter is written where events are removed, and not with each commit: whoever takes it for the next
-- number must not open the file.
UPDATE counter SET next_seq = max(next_seq, (SELECT coalesce(max(seq), 0) + 1 FROM event));
