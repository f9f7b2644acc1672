-- Calls and results are searched whole, steps by their tools and who does them, and a letter is the same with its accent in one
-- character or two: all is indexed anew.
INSERT INTO search (search) VALUES ('delete-all');
UPDATE search_state SET indexed = 0;
