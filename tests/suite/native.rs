//! The same scenarios at an endpoint with tool calls of its own (`assent_tests::wire`).

mod scenarios;
