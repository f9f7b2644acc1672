//! A request as a card.

use assent_core::run::{Choice, CredentialAsked, InputKind, Reach, Request, RequestKind};
use assent_engine::Engine;
use assent_engine::executor::option_named;
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
    for ([number, label], option) in numbered(&request.input.options).zip(&request.input.options) {
        let consequence = option.consequence.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
        lines.push(format!("  {number}  {label}{}", plain(&consequence)));
    }
    if request.credential.is_some() {
        lines.extend(
            wrap(SECRET, terminal.width - 4).iter().map(|line| format!("  {}", terminal.paint(Style::Quiet, line))),
        );
    }
    lines.join("\n")
}

/// What is said of a question for a secret.
const SECRET: &str =
    "This asks for a secret. Words are kept in the history, and models read them; the vault keeps it from both.";

/// How a credential is kept for a question that asks for it.
fn how_to_keep(asked: &CredentialAsked) -> String {
    let hosts: String = asked.hosts.iter().map(|host| format!(" --host {}", plain(host))).collect();
    let hosts = if hosts.is_empty() { " --host HOST".to_owned() } else { hosts };
    format!("assent vault add {}{hosts}", plain(&asked.name))
}

/// Each option's number and label; a dash for the number where that is the label of another one, and names that.
pub fn numbered(options: &[Choice]) -> impl Iterator<Item = [String; 2]> {
    options.iter().enumerate().map(move |(index, option)| {
        let number = (index + 1).to_string();
        let is_its_own = option_named(options, &number).is_some_and(|named| named == option);
        [if is_its_own { number } else { "-".to_owned() }, plain(&option.label)]
    })
}

/// What names each option on a command line: its number, else its label.
fn names(options: &[Choice]) -> impl Iterator<Item = String> {
    let is_a_word = |label: &str| label.chars().all(char::is_alphanumeric);
    numbered(options).map(move |[number, label]| match number.as_str() {
        "-" if is_a_word(&label) => label,
        "-" => format!("'{}'", label.replace('\'', r"'\''")),
        _ => number,
    })
}

/// How the request is answered from another terminal.
pub fn how_to_answer(request: &Request) -> String {
    let id = short(request.id.as_str());
    let seen = change::shown(&request.id).map(|seen| format!(" --seen {}", change::short(&seen))).unwrap_or_default();
    if let Some(asked) = &request.credential {
        return format!("{}, then assent answer {id} --credential {}", how_to_keep(asked), plain(&asked.name));
    }
    match request.input.kind {
        InputKind::Decision if !request.reaches.is_empty() => {
            format!("assent answer {id} --approve{seen}   (--for run: in this whole run; or --reject)")
        }
        InputKind::Decision | InputKind::Boolean => format!("assent answer {id} --approve{seen}   (or --reject)"),
        InputKind::Select if !request.input.options.is_empty() => {
            let named: Vec<String> = names(&request.input.options).collect();
            let others = if named.len() > 1 { format!("   (or {})", named[1..].join(", ")) } else { String::new() };
            format!("assent answer {id} --option {}{seen}{others}", named[0])
        }
        InputKind::Multiselect => {
            let first = names(&request.input.options).next().unwrap_or_else(|| "1".to_owned());
            format!("assent answer {id} --option {first}   (--option again for each further one)")
        }
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
