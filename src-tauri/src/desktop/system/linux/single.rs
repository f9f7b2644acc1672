//! One window for each data folder: who has its name on the bus shows the window when a second start asks for it.

use gtk::gio::{DBusConnection, DBusNodeInfo};
use gtk::glib::Error;
use gtk::glib::variant::ToVariant as _;
use gtk::prelude::DialogExt as _;
use gtk::{ButtonsType, MessageDialog, MessageType};
use tauri::{AppHandle, Manager, Runtime};

use super::{BUS, Service};
use crate::desktop::window;

const PATH: &str = "/io/github/assent/Window";
const INTERFACE: &str = "io.github.assent.Window";
const DESCRIBED: &str = "<node><interface name='io.github.assent.Window'><method name='Show'/></interface></node>";
/// Who asks for a name that is taken does not wait for it.
const DO_NOT_QUEUE: u32 = 4;
/// The bus says that somebody else has the name.
const TAKEN: u32 = 3;
/// How often the name is asked for again when who had it goes away meanwhile.
const TRIES: usize = 3;

/// A name on the bus.
struct Held {
    bus: DBusConnection,
    name: String,
}

/// Who came first.
enum Start {
    First,
    Second,
    /// Another one has the name, and does not show its window.
    Refused(Error),
}

/// Holds the name for as long as the program runs. Where another program has it, that one shows its window, and this one
/// ends. Without a bus, or on one that gives no names, there is nobody who could be found.
pub fn hold<R: Runtime>(app: &AppHandle<R>, name: String) {
    let bus = match super::session() {
        Ok(bus) => bus,
        Err(error) => {
            tracing::warn!("a second start will open a window of its own: {error}");
            return;
        }
    };
    match serve(app, &bus).and_then(|()| ask_for(&bus, &name)) {
        Ok(Start::First) => drop(app.manage(Held { bus, name })),
        Ok(Start::Second) => end(app, 0),
        Ok(Start::Refused(error)) => {
            let problem = format!(
                "Assent is open already, and its window could not be shown: {error}. End it, then start it again."
            );
            eprintln!("assent: {problem}");
            // Who has clicked an icon sees no terminal.
            let (flags, none) = (gtk::DialogFlags::MODAL, None::<&gtk::Window>);
            MessageDialog::new(none, flags, MessageType::Error, ButtonsType::Close, &problem).run();
            end(app, 1);
        }
        Err(error) => tracing::warn!("a second start will open a window of its own: {error}"),
    }
}

/// Gives the name away: who starts the program from now on gets a window of their own.
pub fn let_go<R: Runtime>(app: &AppHandle<R>) {
    let Some(held) = app.try_state::<Held>() else { return };
    if let Err(error) = BUS.ask(&held.bus, "ReleaseName", &(held.name.as_str(),).to_variant()) {
        tracing::warn!("a second start will wait for this one to end: {error}");
    }
}

/// Shows the window whenever somebody asks for it.
fn serve<R: Runtime>(app: &AppHandle<R>, bus: &DBusConnection) -> Result<(), Error> {
    let Some(interface) = DBusNodeInfo::for_xml(DESCRIBED)?.lookup_interface(INTERFACE) else { return Ok(()) };
    let app = app.clone();
    let shown =
        move |_: DBusConnection, _: &str, _: &str, _: &str, _: &str, _, asked: gtk::gio::DBusMethodInvocation| {
            window::show(&app);
            asked.return_value(None);
        };
    let (get, set) = (
        |_: DBusConnection, _: &str, _: &str, _: &str, _: &str| ().to_variant(),
        |_: DBusConnection, _: &str, _: &str, _: &str, _: &str, _| false,
    );
    bus.register_object(PATH, &interface, shown, get, set)?;
    Ok(())
}

fn ask_for(bus: &DBusConnection, name: &str) -> Result<Start, Error> {
    let first = Service { name, path: PATH, interface: INTERFACE };
    let mut tries = 0;
    loop {
        tries += 1;
        let reply = BUS.ask(bus, "RequestName", &(name, DO_NOT_QUEUE).to_variant())?;
        if reply.get::<(u32,)>() != Some((TAKEN,)) {
            return Ok(Start::First);
        }
        match first.ask(bus, "Show", &().to_variant()) {
            Ok(_) => return Ok(Start::Second),
            Err(error) if tries == TRIES => return Ok(Start::Refused(error)),
            Err(error) => tracing::warn!("the window that is open was not shown: {error}"),
        }
    }
}

fn end<R: Runtime>(app: &AppHandle<R>, code: i32) -> ! {
    app.cleanup_before_exit();
    std::process::exit(code)
}
