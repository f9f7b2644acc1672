//! Opening the one file: lean where it is known, made where there is none, migrated forward where it is older, left alone
//! where it is newer, damaged or somebody else's.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior, ffi};
use rusqlite_migration::{M, Migrations};

use super::failure::Failure;
use super::home::open_private;
use super::{FileLock, Hold, Home, StoreError};
use crate::texts;

/// The texts of the steps from an empty file to the current format, by their numbers; only ever added to.
fn steps() -> impl Iterator<Item = (&'static str, &'static str)> {
    texts::below("migrations")
}

fn migrations() -> Migrations<'static> {
    Migrations::new(steps().map(|(_, text)| M::up(text)).collect())
}

/// Written by the first migration: "ASNT".
const APPLICATION: i64 = 1_095_978_580;

/// A connection to the file, which is made or migrated if need be. Where the disk is full it can only read.
pub(super) fn open(home: &Home, patience: Duration) -> Result<(Connection, Room), StoreError> {
    let path = home.database();
    let told = |failure: Failure| failure.for_reader(&path);
    // Where it may only be read, that is told before anything is tried.
    match writable(&path) {
        Ok(found) if found.len() == 0 => return Err(told(Failure::Broken("it is empty".to_owned()))),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(home, &path, patience)?,
        Err(error) => return Err(unusable(&path, &error)),
    }
    let connection = connect(&path, patience).map_err(|error| told(error.into()))?;
    match version(&connection) {
        Ok(found) if found == known() => return Ok((connection, Room::Some)),
        Err(failure) if failure.is_full() => {
            drop(connection);
            return alone(&path, patience).map(|connection| (connection, Room::None)).map_err(told);
        }
        other => drop(other.map_err(told)?),
    }
    Ok((migrate(home, &path, connection, patience)?, Room::Some))
}

/// What is known of a file that may be read and written. It is not opened where that can be told otherwise: to close it
/// would take the locks of every connection that this process has to it.
fn writable(path: &Path) -> io::Result<fs::Metadata> {
    let found = fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    #[cfg(unix)]
    rustix::fs::access(path, rustix::fs::Access::READ_OK | rustix::fs::Access::WRITE_OK)?;
    #[cfg(not(unix))]
    fs::OpenOptions::new().read(true).write(true).open(path)?;
    Ok(found)
}

/// Why a file cannot be opened for writing, and what to do about it.
fn unusable(path: &Path, error: &io::Error) -> StoreError {
    let reason = match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            format!("it may only be read ({error}); allow writing to it, or name another folder in ASSENT_HOME")
        }
        _ => error.to_string(),
    };
    StoreError::Folder { path: path.display().to_string(), reason }
}

/// Whether there is room on the disk for anything to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    Some,
    None,
}

/// A connection that can still read when the disk is full: the index of the log stays in its memory, for which it has
/// to be the only one.
fn alone(path: &Path, patience: Duration) -> Result<Connection, Failure> {
    let connection = connect(path, patience)?;
    connection.query_row("PRAGMA locking_mode = EXCLUSIVE", [], |_| Ok(()))?;
    match version(&connection)? {
        found if found == known() => Ok(connection),
        // There is no room to migrate in.
        _ => Err(Failure::Sql(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_FULL), None))),
    }
}

/// A further connection to a file that was opened.
pub(super) fn connect(path: &Path, patience: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(patience)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn known() -> u32 {
    u32::try_from(steps().count()).unwrap_or(u32::MAX)
}

fn version(connection: &Connection) -> Result<u32, Failure> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    u32::try_from(version).map_err(|_| Failure::Broken(format!("its format is {version}")))
}

fn alone_migrating(home: &Home) -> Result<FileLock, StoreError> {
    FileLock::take(&home.locks().join("migrate.lock"), Hold::Exclusive)
}

/// Makes the file where there is none: under another name first, and under its own once it is whole, so that one that is
/// found empty has lost what it held.
fn make(home: &Home, path: &Path, patience: Duration) -> Result<(), StoreError> {
    let _alone = alone_migrating(home)?;
    let unusable = |error: io::Error| unusable(path, &error);
    if path.try_exists().map_err(unusable)? {
        return Ok(());
    }
    let new = beside(path, ".new");
    for left in ["", "-journal", "-wal", "-shm"] {
        gone(fs::remove_file(beside(&new, left))).map_err(unusable)?;
    }
    open_private(&new).map_err(unusable)?;
    let made = connect(&new, patience).map_err(Failure::from).and_then(|mut connection| prepare(&mut connection));
    made.map_err(|failure| failure.for_reader(path))?;
    // A log without its file would be read into the new one. Whoever puts the old file back may still want it.
    gone(fs::rename(beside(path, "-wal"), beside(path, "-wal.left"))).map_err(unusable)?;
    gone(fs::remove_file(beside(path, "-shm"))).map_err(unusable)?;
    fs::rename(&new, path).map_err(unusable)
}

/// The path with something after its name.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// What was not there needs not go.
fn gone(tried: io::Result<()>) -> io::Result<()> {
    match tried {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Brings an older file to the current format. One process at a time, whoever comes second finds it done.
fn migrate(home: &Home, path: &Path, mut connection: Connection, patience: Duration) -> Result<Connection, StoreError> {
    let told = |failure: Failure| failure.for_reader(path);
    let _alone = alone_migrating(home)?;
    let found = version(&connection).map_err(told)?;
    if found > known() {
        return Err(StoreError::Newer { path: path.display().to_string(), found, known: known() });
    }
    if found == known() {
        return Ok(connection);
    }
    check_ownership(&connection, found).map_err(told)?;
    prepare(&mut connection).map_err(told)?;
    drop(connection);
    connect(path, patience).map_err(|error| told(error.into()))
}

/// Carries out the migrations that are missing.
fn prepare(connection: &mut Connection) -> Result<(), Failure> {
    // The write lock is taken when a migration begins, not when it first writes.
    connection.set_transaction_behavior(TransactionBehavior::Immediate);
    // Of what a migration takes away nothing stays either.
    connection.execute_batch("PRAGMA secure_delete = ON")?;
    migrations().to_latest(connection).map_err(|error| match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => Failure::Sql(err),
        other => Failure::Misuse(other.to_string()),
    })?;
    // Kept in the file. Set last: a new file has all of itself in one piece then, and no log beside it.
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    Ok(())
}

/// A file that holds something but was not made by this application is left alone.
fn check_ownership(connection: &Connection, found: u32) -> Result<(), Failure> {
    let application: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application == APPLICATION || (found == 0 && tables == 0 && application == 0) {
        Ok(())
    } else {
        Err(Failure::Broken("it is a database of another program".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::{migrations, steps};

    #[test]
    fn migrations_can_be_carried_out_and_are_numbered_without_holes() {
        migrations().validate().unwrap();
        let numbers: Vec<usize> = steps().map(|(name, _)| name[..3].parse().unwrap()).collect();
        assert!(numbers.len() > 1);
        assert_eq!(numbers, (1..=numbers.len()).collect::<Vec<_>>());
    }
}
