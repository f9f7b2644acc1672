mod effort_tests;
mod official_tests;
