mod address_tests;
mod defaults_tests;
mod effort_tests;
mod foreign_tests;
mod official_tests;
mod sample_tests;
mod told_tests;
mod top_tests;
