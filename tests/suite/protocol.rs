//! The same scenarios at an endpoint that is called by the JSON protocol (`assent_tests::wire`).

mod scenarios;
