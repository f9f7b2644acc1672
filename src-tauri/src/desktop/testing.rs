//! What the tests of the desktop share.

use assent_core::run::{Input, InputKind, Request, RequestKind, RequestStatus};
use assent_engine::store::RequestRow;

/// An open request of the session `s`.
pub fn request(id: &str, kind: RequestKind) -> RequestRow {
    let input = Input { kind: InputKind::Text, options: Vec::new(), allow_edit: false, allow_text: true };
    let request = Request::new(id.into(), kind, format!("What about {id}?"), input);
    RequestRow {
        request,
        session: "s".into(),
        turn: None,
        run: None,
        step: None,
        status: RequestStatus::Open,
        answer: None,
        draft: None,
        opened_at: 0,
    }
}
