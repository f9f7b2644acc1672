//! The file manager.

use std::fmt::Display;
use std::path::Path;

use gtk::gio::File;
use gtk::gio::prelude::FileExt as _;
use gtk::glib::variant::ToVariant as _;

use super::Service;

const FILE_MANAGER: Service<'static> = Service {
    name: "org.freedesktop.FileManager1",
    path: "/org/freedesktop/FileManager1",
    interface: "org.freedesktop.FileManager1",
};

/// Shows a file where it lies.
///
/// # Errors
/// The file is gone, or no file manager does that.
pub fn reveal(file: &Path) -> Result<(), impl Display> {
    let file = file.canonicalize().map_err(|error| error.to_string())?;
    let addresses = vec![File::for_path(file).uri().to_string()];
    let asked = super::session().and_then(|bus| FILE_MANAGER.ask(&bus, "ShowItems", &(addresses, "").to_variant()));
    asked.map(drop).map_err(|error| error.to_string())
}
