mod official_tests;
