"""The parts of `bench/run`: each measures one thing and gives its figures."""
