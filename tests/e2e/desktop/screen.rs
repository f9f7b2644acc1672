//! A virtual screen, and what another program on it sees and does: windows, the clipboard, keys.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use x11rb::CURRENT_TIME;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt, CreateWindowAux, EventMask, ImageFormat,
    InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MapState, WindowClass,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

use super::process::{Running, until};

pub type WindowId = u32;

/// The key that ends a line, as a symbol of the X protocol.
const RETURN: u32 = 0xff0d;
/// The key that leads to the upper half of the others.
const SHIFT: u32 = 0xffe1;
/// The key that makes commands of the others.
const CONTROL: u32 = 0xffe3;
/// A window that has drawn nothing new for so long has nothing more to do.
const STILL: Duration = Duration::from_millis(300);
/// Longer than any property that is read here, in units of four bytes.
const LONG: u32 = 1 << 20;

x11rb::atom_manager! {
    /// Names that programs on a screen share.
    pub Atoms: AtomsCookie {
        WM_PROTOCOLS,
        WM_DELETE_WINDOW,
        CLIPBOARD,
        UTF8_STRING,
        ASSENT_TEST,
        XdndAware,
        XdndSelection,
        XdndEnter,
        XdndPosition,
        XdndStatus,
        XdndDrop,
        XdndFinished,
        XdndActionCopy,
    }
}

/// The screen, gone with the value.
pub struct Screen {
    _server: Running,
    /// Its name, as in `DISPLAY`.
    pub display: String,
    pub(super) connection: RustConnection,
    pub(super) atoms: Atoms,
    pub(super) root: WindowId,
}

impl Screen {
    pub fn start() -> Result<Self> {
        let mut server = Running::start(
            Command::new("Xvfb")
                .args(["-displayfd", "1", "-screen", "0", "1440x900x24", "-nolisten", "tcp"])
                .stdout(Stdio::piped())
                .stderr(Stdio::null()),
        )?;
        let mut number = String::new();
        BufReader::new(server.0.stdout.take().context("Xvfb has an output")?).read_line(&mut number)?;
        ensure!(!number.trim().is_empty(), "Xvfb ended without naming its screen");
        let display = format!(":{}", number.trim());
        let (connection, number) = RustConnection::connect(Some(&display))?;
        let root = connection.setup().roots[number].root;
        let atoms = Atoms::new(&connection)?.reply()?;
        Ok(Self { _server: server, display, connection, atoms, root })
    }

    /// The window that a person sees and whose title is wanted.
    pub fn shown(&self, wanted: impl Fn(&str) -> bool) -> Result<Option<WindowId>> {
        for window in self.connection.query_tree(self.root)?.reply()?.children {
            // Windows come and go while they are looked at.
            let Ok(attributes) = self.connection.get_window_attributes(window)?.reply() else { continue };
            let Ok(geometry) = self.connection.get_geometry(window)?.reply() else { continue };
            if attributes.map_state == MapState::VIEWABLE
                && geometry.width > 100
                && self.text(window, AtomEnum::WM_NAME.into()).is_ok_and(|title| wanted(&title))
            {
                return Ok(Some(window));
            }
        }
        Ok(None)
    }

    /// Closes a window as its frame's button does.
    pub fn close(&self, window: WindowId) -> Result<()> {
        let data = [self.atoms.WM_DELETE_WINDOW, CURRENT_TIME, 0, 0, 0];
        self.tell(window, ClientMessageEvent::new(32, window, self.atoms.WM_PROTOCOLS, data))
    }

    /// Makes a window so large, as somebody does who pulls at its edge.
    pub fn resize(&self, window: WindowId, width: u32, height: u32) -> Result<()> {
        let size = ConfigureWindowAux::new().width(width).height(height);
        self.connection.configure_window(window, &size)?.check()?;
        Ok(())
    }

    /// Presses Enter in a window.
    pub fn press_return(&self, window: WindowId) -> Result<()> {
        self.look_at(window)?;
        self.press(&[], RETURN)
    }

    /// Types letters, digits and signs of the plain alphabet into a window, in the place of what its field holds.
    pub fn rewrite_in(&self, window: WindowId, text: &str) -> Result<()> {
        self.look_at(window)?;
        self.press(&[CONTROL], 'a'.into())?;
        text.chars().try_for_each(|sign| self.press(&[], sign.into()))
    }

    /// Copies what the field of a window holds.
    pub fn copy_all_in(&self, window: WindowId) -> Result<()> {
        self.look_at(window)?;
        self.press(&[CONTROL], 'a'.into())?;
        self.press(&[CONTROL], 'c'.into())
    }

    /// Waits until a window draws nothing new for a while: of a dialog of the system this is all that tells that it has
    /// taken what was typed, and has read the folder that it shows.
    pub fn until_still(&self, window: WindowId) -> Result<()> {
        let picture = || -> Result<Vec<u8>> {
            let size = self.connection.get_geometry(window)?.reply()?;
            let all = u32::MAX;
            let (format, width, height) = (ImageFormat::Z_PIXMAP, size.width, size.height);
            Ok(self.connection.get_image(format, window, 0, 0, width, height, all)?.reply()?.data)
        };
        let (mut last, mut since) = (picture()?, Instant::now());
        until("the window draws nothing new", || {
            let now = picture()?;
            if now != last {
                (last, since) = (now, Instant::now());
            }
            Ok((since.elapsed() > STILL).then_some(()))
        })
    }

    /// Presses the key that has this symbol while others are held, the shift key too where it is on its upper half.
    fn press(&self, held: &[u32], symbol: u32) -> Result<()> {
        let setup = self.connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let mapping = self.connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
        let per_key = usize::from(mapping.keysyms_per_keycode);
        let key = |symbol: u32| -> Result<(u8, usize)> {
            let keys = mapping.keysyms.chunks(per_key).enumerate();
            let mut halves =
                keys.filter_map(|(at, key)| Some((at, key.iter().take(2).position(|one| *one == symbol)?)));
            let (at, half) = halves.next().with_context(|| format!("no key has the symbol {symbol:#x}"))?;
            Ok((first + u8::try_from(at)?, half))
        };
        let (wanted, half) = key(symbol)?;
        let shift = (half == 1).then_some(&SHIFT);
        let mut keys = held.iter().chain(shift).map(|symbol| Ok(key(*symbol)?.0)).collect::<Result<Vec<u8>>>()?;
        keys.push(wanted);
        let down = keys.iter().map(|key| (KEY_PRESS_EVENT, *key));
        let up = keys.iter().rev().map(|key| (KEY_RELEASE_EVENT, *key));
        for (kind, key) in down.chain(up) {
            self.connection.xtest_fake_input(kind, key, CURRENT_TIME, self.root, 0, 0, 0)?.check()?;
        }
        Ok(())
    }

    /// Gives the keyboard to a window, as somebody does who looks at it.
    pub fn look_at(&self, window: WindowId) -> Result<()> {
        self.connection.set_input_focus(InputFocus::PARENT, window, CURRENT_TIME)?.check()?;
        Ok(())
    }

    /// Gives the keyboard to another window, as somebody does who works on something else.
    pub fn look_away(&self) -> Result<()> {
        let other = self.unseen_window()?;
        self.connection.map_window(other)?.check()?;
        self.connection.set_input_focus(InputFocus::PARENT, other, CURRENT_TIME)?.check()?;
        Ok(())
    }

    /// What another program would paste; empty when nothing was copied.
    pub fn clipboard(&self) -> Result<String> {
        let atoms = &self.atoms;
        let asking = self.unseen_window()?;
        self.connection.convert_selection(
            asking,
            atoms.CLIPBOARD,
            atoms.UTF8_STRING,
            atoms.ASSENT_TEST,
            CURRENT_TIME,
        )?;
        self.connection.flush()?;
        let answer = until("whoever holds the clipboard answers", || {
            Ok(self.connection.poll_for_event()?.and_then(|event| match event {
                Event::SelectionNotify(answer) if answer.requestor == asking => Some(answer),
                _ => None,
            }))
        })?;
        if answer.property == x11rb::NONE {
            return Ok(String::new());
        }
        self.text(asking, atoms.ASSENT_TEST)
    }

    pub(super) fn unseen_window(&self) -> Result<WindowId> {
        let window = self.connection.generate_id()?;
        let (class, values) = (WindowClass::INPUT_ONLY, CreateWindowAux::new().override_redirect(1));
        self.connection.create_window(0, window, self.root, 0, 0, 1, 1, 0, class, 0, &values)?.check()?;
        Ok(window)
    }

    pub(super) fn tell(&self, window: WindowId, message: ClientMessageEvent) -> Result<()> {
        self.connection.send_event(false, window, EventMask::NO_EVENT, message)?.check()?;
        Ok(())
    }

    fn text(&self, window: WindowId, property: Atom) -> Result<String> {
        let value = self.connection.get_property(false, window, property, AtomEnum::ANY, 0, LONG)?.reply()?;
        if value.bytes_after > 0 {
            bail!("the property is longer than {LONG} units");
        }
        Ok(String::from_utf8(value.value)?)
    }
}
