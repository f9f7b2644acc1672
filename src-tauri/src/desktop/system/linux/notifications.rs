//! Notifications, as the specification of desktop notifications has them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use gtk::gio::{Cancellable, DBusCallFlags, DBusConnection, DBusSignalFlags};
use gtk::glib::variant::ToVariant as _;
use gtk::glib::{Error, Variant};
use tauri::{AppHandle, Manager, Runtime};

use super::{PATIENCE, Service};
use crate::desktop::notify::{self, About, Notice};

const SERVER: Service<'static> = Service {
    name: "org.freedesktop.Notifications",
    path: "/org/freedesktop/Notifications",
    interface: "org.freedesktop.Notifications",
};
/// The action that a click on the notification itself is.
const CLICK: &str = "default";
/// The server decides how long it shows one.
const AS_LONG_AS_USUAL: i32 = -1;

/// The notifications that are shown, and what they are about.
#[derive(Debug, Default)]
struct Shown(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    about: HashMap<u32, About>,
    /// How many were asked for and have no number yet.
    asked: usize,
    /// Numbers that were clicked meanwhile: one of them may be of such a notification.
    early: Vec<u32>,
}

impl Table {
    /// One more will be shown.
    fn ask(&mut self) {
        self.asked += 1;
    }

    /// One has its number, or none because it was not shown. Returns what it is about if it was clicked meanwhile.
    fn answered(&mut self, number: Option<u32>, about: About) -> Option<About> {
        self.asked = self.asked.saturating_sub(1);
        let clicked = number.is_some_and(|number| self.early.contains(&number));
        if self.asked == 0 {
            self.early.clear();
        }
        if let Some(number) = number {
            self.about.insert(number, about.clone());
        }
        clicked.then_some(about)
    }

    /// What a notification is about that was clicked; nothing for those of other programs, who are told to everybody.
    fn clicked(&mut self, number: u32) -> Option<About> {
        let known = self.about.get(&number).cloned();
        if known.is_none() && self.asked > 0 {
            self.early.push(number);
        }
        known
    }

    fn closed(&mut self, number: u32) {
        self.about.remove(&number);
    }
}

impl Shown {
    fn change<T>(&self, change: impl FnOnce(&mut Table) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Has a click on a notification lead to what it is about.
pub fn show_when_clicked<R: Runtime>(app: &AppHandle<R>) {
    app.manage(Shown::default());
    match super::session() {
        Ok(bus) => listen(app, &bus),
        Err(error) => tracing::warn!("clicks on notifications are not told: {error}"),
    }
}

fn listen<R: Runtime>(app: &AppHandle<R>, bus: &DBusConnection) {
    let Service { name, path, interface } = SERVER;
    let app = app.clone();
    // The subscription lasts as long as the connection, which is as long as the program.
    bus.signal_subscribe(
        Some(name),
        Some(interface),
        None,
        Some(path),
        None,
        DBusSignalFlags::NONE,
        move |_, _, _, _, signal, arguments| {
            if let Some(about) = heard(&app.state::<Shown>(), signal, arguments) {
                notify::lead_to(&app, about);
            }
        },
    );
}

/// What the person wants to see, if a signal says so.
fn heard(shown: &Shown, signal: &str, arguments: &Variant) -> Option<About> {
    match signal {
        "ActionInvoked" => {
            let (number, action) = arguments.get::<(u32, String)>()?;
            if action == CLICK { shown.change(|table| table.clicked(number)) } else { None }
        }
        "NotificationClosed" => {
            let (number, _reason) = arguments.get::<(u32, u32)>()?;
            shown.change(|table| table.closed(number));
            None
        }
        _ => None,
    }
}

/// Shows a notification. What becomes of it is not waited for.
pub fn tell<R: Runtime>(app: &AppHandle<R>, notice: Notice) {
    let here = app.clone();
    let told = app.run_on_main_thread(move || match super::session() {
        Ok(bus) => show(here, &bus, notice),
        Err(error) => tracing::warn!("nobody could be told: {error}"),
    });
    if let Err(error) = told {
        tracing::warn!("nobody could be told: {error}");
    }
}

/// Asks first how a text has to be written: what a model says is no markup, and many servers read it as such.
fn show<R: Runtime>(app: AppHandle<R>, bus: &DBusConnection, notice: Notice) {
    let Service { name, path, interface } = SERVER;
    app.state::<Shown>().change(Table::ask);
    let here = bus.clone();
    let asked = move |reply: Result<Variant, Error>| {
        let known = reply.ok().and_then(|reply| reply.get::<(Vec<String>,)>());
        // Who does not say reads it as markup.
        let reads_markup = known.is_none_or(|(all,)| all.iter().any(|one| one == "body-markup"));
        let body = if reads_markup { as_markup(&notice.body) } else { notice.body };
        send(app, &here, Notice { body, ..notice });
    };
    let (flags, never) = (DBusCallFlags::NONE, Cancellable::NONE);
    bus.call(Some(name), path, interface, "GetCapabilities", None, None, flags, PATIENCE, never, asked);
}

/// A text as markup that shows just it.
fn as_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn send<R: Runtime>(app: AppHandle<R>, bus: &DBusConnection, notice: Notice) {
    let Service { name, path, interface } = SERVER;
    let Notice { about, title, body } = notice;
    let (actions, hints) = (vec![CLICK, ""], HashMap::<String, Variant>::new());
    let (program, replaces, icon) = ("Assent", 0_u32, "assent-desktop");
    let arguments = (program, replaces, icon, title, body, actions, hints, AS_LONG_AS_USUAL).to_variant();
    let answered = move |reply: Result<Variant, Error>| {
        let number = match reply {
            Ok(reply) => reply.get::<(u32,)>().map(|(number,)| number),
            Err(error) => {
                tracing::warn!("nobody could be told: {error}");
                None
            }
        };
        if let Some(about) = app.state::<Shown>().change(|table| table.answered(number, about)) {
            notify::lead_to(&app, about);
        }
    };
    let (flags, never) = (DBusCallFlags::NONE, Cancellable::NONE);
    bus.call(Some(name), path, interface, "Notify", Some(&arguments), None, flags, PATIENCE, never, answered);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(session: &str) -> About {
        About::Session(session.into())
    }

    fn signal(shown: &Shown, number: u32, action: &str) -> Option<About> {
        heard(shown, "ActionInvoked", &(number, action).to_variant())
    }

    fn told(shown: &Shown, number: u32, session: &str) -> Option<About> {
        shown.change(Table::ask);
        shown.change(|table| table.answered(Some(number), about(session)))
    }

    #[test]
    fn what_a_question_says_is_no_markup() {
        let text = "Replace <b> by <a href=\"x\"> & &amp;?";
        assert_eq!(as_markup(text), "Replace &lt;b&gt; by &lt;a href=\"x\"&gt; &amp; &amp;amp;?");
    }

    #[test]
    fn a_click_leads_to_the_session_that_its_own_notification_was_about() {
        let shown = Shown::default();
        assert_eq!(told(&shown, 1, "first"), None);
        assert_eq!(told(&shown, 2, "second"), None);
        assert_eq!(signal(&shown, 1, CLICK), Some(about("first")));
        assert_eq!(signal(&shown, 2, CLICK), Some(about("second")));
        // Those of other programs, and what is no click.
        assert_eq!(signal(&shown, 3, CLICK), None);
        assert_eq!(signal(&shown, 1, "snooze"), None);
        heard(&shown, "NotificationClosed", &(1_u32, 2_u32).to_variant());
        assert_eq!(signal(&shown, 1, CLICK), None);
        assert_eq!(signal(&shown, 2, CLICK), Some(about("second")));
    }

    #[test]
    fn a_click_that_comes_before_the_notification_has_its_number_counts() {
        let shown = Shown::default();
        shown.change(Table::ask);
        assert_eq!(signal(&shown, 7, CLICK), None);
        assert_eq!(shown.change(|table| table.answered(Some(7), about("early"))), Some(about("early")));
        // The same number again, clicked while nothing was asked for, is another program's.
        assert_eq!(signal(&shown, 8, CLICK), None);
        assert_eq!(told(&shown, 8, "late"), None);
    }

    #[test]
    fn a_notification_that_was_not_shown_leads_nowhere_and_signals_that_say_something_else_are_left() {
        let shown = Shown::default();
        shown.change(Table::ask);
        assert_eq!(shown.change(|table| table.answered(None, about("lost"))), None);
        assert_eq!(signal(&shown, 0, CLICK), None);
        assert_eq!(heard(&shown, "ActionInvoked", &("text", 1_u32).to_variant()), None);
        assert_eq!(heard(&shown, "Else", &().to_variant()), None);
    }
}
