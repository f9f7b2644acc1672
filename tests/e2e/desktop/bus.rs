//! A message bus of its own, with what a desktop offers on it: somebody who shows notifications, and a tray.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use zbus::blocking::Connection;
use zbus::blocking::connection::Builder;
use zbus::interface;
use zbus::message::Header;
use zbus::zvariant::{ObjectPath, OwnedObjectPath, OwnedValue, Value};

use super::process::{Running, until};

const NOTIFICATIONS: (&str, &str) = ("org.freedesktop.Notifications", "/org/freedesktop/Notifications");
const WATCHER: (&str, &str) = ("org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher");
const ITEM: &str = "org.kde.StatusNotifierItem";
const MENU: &str = "com.canonical.dbusmenu";
/// How the names begin under which the program is found by a second start.
const PROGRAMS: &str = "io.github.assent.desktop.";
/// The entry under which all others stand, and that all below it are asked for.
const ROOT: i32 = 0;
const WHOLE_DEPTH: i32 = -1;

/// An entry of a menu: its number, its properties, and the entries below it, each an [`Entry`] again.
type Entry = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

/// Nothing is started on demand: neither the keyring nor the portals of the person who runs this.
const CONFIGURATION: &str = r#"<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"#;

/// A notification that was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    id: u32,
    pub title: String,
    pub body: String,
}

/// The bus, gone with the value.
pub struct Bus {
    _daemon: Running,
    /// Where it is reached.
    pub address: String,
    connection: Connection,
    told: Arc<Mutex<Vec<Told>>>,
    items: Arc<Mutex<Vec<(String, String)>>>,
    has_tray: Arc<AtomicBool>,
}

impl Bus {
    pub fn start(folder: &Path) -> Result<Self> {
        let file = folder.join("bus.conf");
        fs::write(&file, CONFIGURATION)?;
        let mut daemon = Running::start(
            Command::new("dbus-daemon")
                .arg(format!("--config-file={}", file.display()))
                .args(["--nofork", "--print-address=1"])
                .stdout(Stdio::piped())
                .stderr(Stdio::null()),
        )?;
        let mut address = String::new();
        BufReader::new(daemon.0.stdout.take().context("dbus-daemon has an output")?).read_line(&mut address)?;
        let address = address.trim().to_owned();
        ensure!(!address.is_empty(), "dbus-daemon ended without saying where it is");
        let (told, items, has_tray) = (Arc::default(), Arc::default(), Arc::new(AtomicBool::new(true)));
        let connection = Builder::address(address.as_str())?
            .serve_at(NOTIFICATIONS.1, Notifications(Arc::clone(&told)))?
            .serve_at(WATCHER.1, Watcher { items: Arc::clone(&items), has_tray: Arc::clone(&has_tray) })?
            .name(NOTIFICATIONS.0)?
            .name(WATCHER.0)?
            .build()?;
        Ok(Self { _daemon: daemon, address, connection, told, items, has_tray })
    }

    /// Takes the tray away, as on a desktop where icons are watched for and nobody shows them.
    pub fn lose_tray(&self) {
        self.has_tray.store(false, Ordering::Relaxed);
    }

    /// Waits for a notification with these words.
    pub fn told(&self, words: &str) -> Result<Told> {
        until(&format!("somebody is told {words:?}"), || {
            let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(told.iter().find(|one| one.body.contains(words)).cloned())
        })
    }

    /// Every notification so far, in order.
    pub fn all_told(&self) -> Vec<Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Clicks a notification.
    pub fn click(&self, told: &Told) -> Result<()> {
        let (interface, path) = NOTIFICATIONS;
        Ok(self.connection.emit_signal(None::<&str>, path, interface, "ActionInvoked", &(told.id, "default"))?)
    }

    /// Whether a program of this kind still has its name, under which a second start would be handed over to it.
    pub fn has_program(&self) -> Result<bool> {
        Ok(self.names()?.iter().any(|name| name.starts_with(PROGRAMS)))
    }

    /// Who is there.
    fn names(&self) -> Result<Vec<String>> {
        let (service, path) = ("org.freedesktop.DBus", "/org/freedesktop/DBus");
        Ok(self.connection.call_method(Some(service), path, Some(service), "ListNames", &())?.body().deserialize()?)
    }

    /// Chooses an entry from the menu of the icon in the tray.
    pub fn choose_in_tray(&self, label: &str) -> Result<()> {
        let (service, item) = until("there is an icon in the tray", || {
            let last = self.items.lock().unwrap_or_else(PoisonError::into_inner).last().cloned();
            // That of a program that has ended is not there any more.
            Ok(last.filter(|(service, _)| self.names().is_ok_and(|names| names.contains(service))))
        })?;
        let service = Some(service.as_str());
        let properties = Some("org.freedesktop.DBus.Properties");
        let menu = self.connection.call_method(service, item.as_str(), properties, "Get", &(ITEM, "Menu"))?;
        let menu: OwnedObjectPath = menu.body().deserialize::<OwnedValue>()?.try_into()?;
        let entry = until(&format!("the menu has {label:?}"), || {
            let asked = (ROOT, WHOLE_DEPTH, vec!["label"]);
            let reply = self.connection.call_method(service, &menu, Some(MENU), "GetLayout", &asked)?;
            let (_, root): (u32, Entry) = reply.body().deserialize()?;
            entry_of(&root, label)
        })?;
        let chosen = (entry, "clicked", Value::from(0), 0_u32);
        self.connection.call_method(service, &menu, Some(MENU), "Event", &chosen)?;
        Ok(())
    }
}

/// The number of the entry with this label, at or below another one.
fn entry_of((number, properties, below): &Entry, label: &str) -> Result<Option<i32>> {
    let named = properties.get("label").and_then(|known| known.downcast_ref::<&str>().ok());
    if named == Some(label) {
        return Ok(Some(*number));
    }
    for entry in below {
        if let Some(found) = entry_of(&entry.try_clone()?.try_into()?, label)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

struct Notifications(Arc<Mutex<Vec<Told>>>);

#[interface(name = "org.freedesktop.Notifications")]
impl Notifications {
    #[expect(clippy::too_many_arguments, reason = "the specification has so many")]
    fn notify(
        &self,
        _program: String,
        replaces: u32,
        _icon: String,
        title: String,
        body: String,
        _actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _timeout: i32,
    ) -> u32 {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let id = if replaces > 0 { replaces } else { u32::try_from(told.len()).unwrap_or_default() + 1 };
        told.push(Told { id, title, body });
        id
    }

    fn close_notification(&self, _id: u32) {}

    fn get_capabilities(&self) -> Vec<String> {
        ["body", "body-markup", "actions"].map(str::to_owned).into()
    }

    fn get_server_information(&self) -> (String, String, String, String) {
        let text = str::to_owned;
        (text("test"), text("Assent"), text("1"), text("1.2"))
    }
}

struct Watcher {
    items: Arc<Mutex<Vec<(String, String)>>>,
    has_tray: Arc<AtomicBool>,
}

#[interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    fn register_status_notifier_item(&self, path: String, #[zbus(header)] header: Header<'_>) {
        let service = header.sender().map(ToString::to_string).unwrap_or_default();
        if ObjectPath::try_from(path.as_str()).is_ok() {
            self.items.lock().unwrap_or_else(PoisonError::into_inner).push((service, path));
        }
    }

    fn register_status_notifier_host(&self, _service: String) {}

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        self.has_tray.load(Ordering::Relaxed)
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        Vec::new()
    }
}
