//! Who shows icons in a tray, as the specification of status notifiers has it.

use gtk::glib::Variant;
use gtk::glib::variant::ToVariant as _;

use super::Service;

const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const PROPERTIES: Service<'static> =
    Service { name: WATCHER, path: "/StatusNotifierWatcher", interface: "org.freedesktop.DBus.Properties" };

/// Whether the desktop shows icons in a tray. Some have nobody who watches for them, some a watcher and no tray.
pub fn shows_trays() -> bool {
    let asked = (WATCHER, "IsStatusNotifierHostRegistered").to_variant();
    let answer = super::session().and_then(|bus| PROPERTIES.ask(&bus, "Get", &asked));
    answer.ok().and_then(|answer| answer.try_child_value(0)?.get::<Variant>()?.get()).unwrap_or(false)
}
