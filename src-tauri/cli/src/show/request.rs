//! A request as a card.

use assent_core::run::{InputKind, Reach, Request, RequestKind};
use assent_engine::Engine;
use assent_engine::store::AllowanceRow;

use crate::show::{change, short};
use crate::terminal::{Style, Terminal, plain, wrap};

/// The card: what is asked, why, with what, and what the call would do to a file as that is now.
pub fn card(engine: &Engine, terminal: &Terminal, request: &Request) -> String {
    let mut lines = vec![heading(terminal, request)];
    lines.extend(wrap(&request.prompt, terminal.width - 4).into_iter().map(|line| format!("  {line}")));
    for told in request.reason.iter().chain(&request.consequence) {
        let indented = wrap(told, terminal.width - 4).into_iter();
        lines.extend(indented.map(|line| format!("  {}", terminal.paint(Style::Quiet, &line))));
    }
    // A question's arguments are the question.
    if request.kind != RequestKind::Question
        && let (Some(tool), Some(arguments)) = (&request.tool, &request.arguments)
    {
        lines.push(format!("  {}", terminal.paint(Style::Name, &plain(tool))));
        let pretty = serde_json::to_string_pretty(arguments).unwrap_or_default();
        lines.extend(plain(&pretty).lines().map(|line| format!("    {line}")));
        lines.extend(change::lines(engine, terminal, request));
    }
    for (index, option) in request.input.options.iter().enumerate() {
        let consequence = option.consequence.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
        lines.push(format!("  {}  {}{}", index + 1, plain(&option.label), plain(&consequence)));
    }
    lines.join("\n")
}

/// How the request is answered from another terminal.
pub fn how_to_answer(request: &Request) -> String {
    let id = short(request.id.as_str());
    let seen = change::shown(&request.id).map(|seen| format!(" --seen {}", change::short(&seen))).unwrap_or_default();
    match request.input.kind {
        InputKind::Decision if !request.reaches.is_empty() => {
            format!("assent answer {id} --approve{seen}   (--for run: in this whole run; or --reject)")
        }
        InputKind::Decision | InputKind::Boolean => format!("assent answer {id} --approve{seen}   (or --reject)"),
        InputKind::Select if !request.input.options.is_empty() => {
            let others: Vec<String> = (2..=request.input.options.len()).map(|option| option.to_string()).collect();
            let others = if others.is_empty() { String::new() } else { format!("   (or {})", others.join(", ")) };
            format!("assent answer {id} --option 1{others}")
        }
        InputKind::Multiselect => format!("assent answer {id} --option 1   (--option again for each further one)"),
        InputKind::Number => format!("assent answer {id} --text 12   (a number)"),
        InputKind::Date => format!("assent answer {id} --text 2026-03-31   (a day)"),
        InputKind::File => format!("assent answer {id} --text notes.md   (a path inside the workspace)"),
        InputKind::Text | InputKind::Select => format!("assent answer {id} --text \"…\""),
    }
}

/// What a kept permission allows, and for how long.
pub fn allowance(row: &AllowanceRow) -> String {
    let place = match (row.reach, &row.run, &row.step) {
        (Reach::Step, Some(run), Some(step)) => format!("step {} of run {}", plain(step.as_str()), short(run.as_str())),
        (_, Some(run), _) => format!("run {}", short(run.as_str())),
        _ => format!("{}, until you take it back", plain(&row.workspace)),
    };
    format!("{} in {place}", plain(&row.tool))
}

fn heading(terminal: &Terminal, request: &Request) -> String {
    let kind = match request.kind {
        RequestKind::Question => "Question",
        RequestKind::Confirm => "Please confirm",
        RequestKind::Permit => "May this run?",
        RequestKind::UnknownOutcome => "Did this happen?",
        RequestKind::Cap => "Keep going?",
        RequestKind::Help => "Help is needed",
    };
    let mut place = request.path.iter().map(|step| plain(step.as_str())).collect::<Vec<_>>().join(" › ");
    if !request.asked_by.is_empty() {
        place = format!("{} {place}", plain(&request.asked_by));
    }
    let series = match (request.step_index, request.step_total) {
        (Some(index), Some(total)) => format!("  {index} of {total}"),
        _ => String::new(),
    };
    format!(
        "{} {} {}{series}",
        terminal.paint(Style::Warn, "?"),
        terminal.paint(Style::Strong, kind),
        terminal.paint(Style::Quiet, place.trim())
    )
}
