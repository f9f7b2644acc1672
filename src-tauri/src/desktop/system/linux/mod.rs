//! A Linux desktop, spoken to over its session bus by the library that GTK brings along.

mod files;
mod notifications;
mod single;
mod trays;

pub use files::reveal;
pub use notifications::{show_when_clicked, tell};
pub use single::{hold, let_go};
pub use trays::shows_trays;

use gtk::gio::{BusType, Cancellable, DBusCallFlags, DBusConnection, bus_get_sync};
use gtk::glib::{Error, Variant};

/// Whether there is a screen, and a desktop that shows windows on it.
///
/// # Errors
/// What to do without one.
pub fn screen() -> Result<(), String> {
    gtk::init().map_err(|_| {
        "there is no screen here; start it on a desktop, or use the same engine in a terminal: make chat".to_owned()
    })
}

/// How long somebody on the bus may take to answer, in milliseconds.
const PATIENCE: i32 = 10_000;

/// Somebody on the bus who is asked for something.
#[derive(Debug, Clone, Copy)]
struct Service<'a> {
    name: &'a str,
    path: &'a str,
    interface: &'a str,
}

/// The bus itself.
const BUS: Service<'static> =
    Service { name: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus" };

/// The session's bus; the same connection each time.
fn session() -> Result<DBusConnection, Error> {
    let bus = bus_get_sync(BusType::Session, Cancellable::NONE)?;
    // A window outlives its bus.
    bus.set_exit_on_close(false);
    Ok(bus)
}

impl Service<'_> {
    /// Asks and waits for the answer.
    fn ask(self, bus: &DBusConnection, method: &str, arguments: &Variant) -> Result<Variant, Error> {
        let Self { name, path, interface } = self;
        let (flags, never) = (DBusCallFlags::NONE, Cancellable::NONE);
        bus.call_sync(Some(name), path, interface, method, Some(arguments), None, flags, PATIENCE, never)
    }
}
