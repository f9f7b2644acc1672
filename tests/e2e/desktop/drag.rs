//! Dropping something from another program onto a window, by the protocol of X (XDND, version 5).

use anyhow::Result;
use x11rb::CURRENT_TIME;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt, EventMask, PropMode, SELECTION_NOTIFY_EVENT, SelectionNotifyEvent,
    SelectionRequestEvent,
};
use x11rb::wrapper::ConnectionExt as _;

use super::process::until;
use super::screen::{Screen, WindowId};

/// The version of the protocol, where a message carries it.
const VERSION: u32 = 5 << 24;

impl Screen {
    /// Drops an address of a kind (`text/uri-list` as file managers do it) in the middle of a window, whether it wants
    /// it or not, and waits until the window has made of it what it makes of it.
    pub fn drop_onto(&self, window: WindowId, kind: &str, address: &str) -> Result<()> {
        let atoms = &self.atoms;
        let kind = self.connection.intern_atom(false, kind.as_bytes())?.reply()?.atom;
        let source = self.unseen_window()?;
        self.connection.set_selection_owner(source, atoms.XdndSelection, CURRENT_TIME)?.check()?;
        let geometry = self.connection.get_geometry(window)?.reply()?;
        let place = self.connection.translate_coordinates(window, self.root, 0, 0)?.reply()?;
        let middle = |from: i16, size: u16| u32::try_from(i32::from(from) + i32::from(size) / 2);
        let place = (middle(place.dst_x, geometry.width)? << 16) | middle(place.dst_y, geometry.height)?;
        let say = |what, data: [u32; 5]| self.tell(window, ClientMessageEvent::new(32, window, what, data));

        say(atoms.XdndEnter, [source, VERSION, kind, 0, 0])?;
        // The first tells of the drag, the second comes when what is dragged is known.
        for _ in 0..2 {
            say(atoms.XdndPosition, [source, 0, place, CURRENT_TIME, atoms.XdndActionCopy])?;
            self.serve_until(address, "the window says whether it takes what is dragged", atoms.XdndStatus)?;
        }
        say(atoms.XdndDrop, [source, 0, CURRENT_TIME, 0, 0])?;
        self.serve_until(address, "the window has taken what was dropped", atoms.XdndFinished)
    }

    /// Gives `address` to whoever asks for it, until a message comes.
    fn serve_until(&self, address: &str, what: &str, message: u32) -> Result<()> {
        until(what, || {
            match self.connection.poll_for_event()? {
                Some(Event::SelectionRequest(asked)) => self.give(&asked, address)?,
                Some(Event::ClientMessage(told)) if told.type_ == message => return Ok(Some(())),
                _ => {}
            }
            Ok(None)
        })
    }

    fn give(&self, asked: &SelectionRequestEvent, address: &str) -> Result<()> {
        let (property, value) = (asked.property, format!("{address}\r\n"));
        let window = asked.requestor;
        self.connection
            .change_property8(PropMode::REPLACE, window, property, asked.target, value.as_bytes())?
            .check()?;
        let given = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: asked.time,
            requestor: asked.requestor,
            selection: asked.selection,
            target: asked.target,
            property,
        };
        self.connection.send_event(false, window, EventMask::NO_EVENT, given)?.check()?;
        Ok(())
    }

    /// Whether a window says that something can be dropped onto it.
    pub fn takes_drops(&self, window: WindowId) -> Result<bool> {
        let aware = self.connection.get_property(false, window, self.atoms.XdndAware, AtomEnum::ATOM, 0, 1)?.reply()?;
        Ok(aware.length > 0)
    }
}
