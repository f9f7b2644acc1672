//! What the tests of the desktop share.

use assent_core::run::{Input, InputKind, Request, RequestKind, RequestStatus};
use assent_engine::store::RequestRow;

/// An open request of the session `s`.
pub fn request(id: &str, kind: RequestKind) -> RequestRow {
    let request = Request {
        id: id.into(),
        kind,
        path: Vec::new(),
        call: None,
        asked_by: String::new(),
        prompt: format!("What about {id}?"),
        reason: None,
        step_index: None,
        step_total: None,
        input: Input { kind: InputKind::Text, options: Vec::new(), allow_edit: false, allow_text: true },
        tool: None,
        arguments: None,
        risk: None,
        reaches: Vec::new(),
    };
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
