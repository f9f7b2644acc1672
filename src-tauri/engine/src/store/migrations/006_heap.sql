-- Steps that are brought to a leaf of the heap, and steps that are handed on while a run goes on.
INSERT INTO event_kind VALUES (34, 'step_expanded'), (35, 'step_delegated');
