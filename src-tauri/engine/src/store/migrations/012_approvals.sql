-- Each step of a run asks what was said when its plan was approved: `plan_approved`, by its code.
CREATE INDEX event_approved ON event (session) WHERE kind = 8;
