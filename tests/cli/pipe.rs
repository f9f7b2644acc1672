//! A command that says that it runs and then does not end, and what tells when it is gone.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::desk::Desk;

/// What does not come in this time never comes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Writes a line to `ran.txt` each time; the first time it says so in the pipe and stays.
pub const STAYS: &str = "if [ -e ran.txt ]; then echo again >> ran.txt; else echo once > ran.txt; exec 3> pipe; echo here >&3; sleep 600; fi";

/// The reading end of the pipe that such a command holds open.
pub struct Pipe(Receiver<()>);

impl Pipe {
    /// A pipe in the workspace.
    pub fn new(desk: &Desk) -> Self {
        let path = desk.workspace().join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (tell, told) = channel();
        std::thread::spawn(move || {
            // Opening waits for the other end, reading on waits until nobody holds it any more.
            let mut pipe = BufReader::new(File::open(path).unwrap());
            let mut line = String::new();
            pipe.read_line(&mut line).unwrap();
            assert_eq!(line, "here\n");
            tell.send(()).unwrap();
            pipe.read_to_string(&mut line).unwrap();
            tell.send(()).unwrap();
        });
        Self(told)
    }

    /// Waits until the command runs.
    pub fn runs(&self) {
        self.0.recv_timeout(PATIENCE).expect("the command runs");
    }

    /// Waits until the command and everything that it started is gone.
    pub fn is_gone(&self) {
        self.0.recv_timeout(PATIENCE).expect("the command is gone");
    }
}
