-- What steps are told, values, steps that were handed on, and what was said with a decision are searched as well: all is
-- indexed anew.
INSERT INTO search (search) VALUES ('delete-all');
UPDATE search_state SET indexed = 0;
