//! `assent requests`, `assent answer` and `assent resume`.

use anyhow::{Context, bail};
use assent_core::run::{Answer, InputKind, Reach, Request, RequestKind};
use assent_engine::Engine;
use assent_engine::store::RequestRow;
use assent_engine::turn::TurnEnd;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::args::{AnswerArgs, AnswerChoice, Extent, RequestsArgs, ResumeArgs};
use crate::commands::ask::settle;
use crate::commands::follow::follow;
use crate::exit::{Exit, json_argument};
use crate::show::{request, short};
use crate::terminal::{Style, Terminal};

/// Carries out `assent requests`.
pub fn requests(engine: &Engine, terminal: &Terminal, args: &RequestsArgs) -> anyhow::Result<Exit> {
    if let Some(id) = &args.revoke {
        let row = engine.requests().revoke(id)?;
        if terminal.json {
            terminal.value(&row)?;
        } else {
            terminal.note(&format!("taken back: {}", request::allowance(&row)));
        }
        return Ok(Exit::Done);
    }
    if !args.allowed {
        return list(engine, terminal);
    }
    let rows = engine.requests().allowed()?;
    for row in &rows {
        if terminal.json {
            terminal.value(row)?;
            continue;
        }
        terminal.line(&format!("{}  {}", terminal.paint(Style::Name, short(row.id.as_str())), request::allowance(row)));
    }
    if rows.is_empty() && !terminal.json {
        terminal.note("nothing is allowed beyond approved plans");
    }
    Ok(Exit::Done)
}

/// Lists what waits for a person.
pub fn list(engine: &Engine, terminal: &Terminal) -> anyhow::Result<Exit> {
    let open = engine.requests().open()?;
    for row in &open {
        if terminal.json {
            terminal.value(row)?;
            continue;
        }
        terminal.line(&format!(
            "{}  {}",
            terminal.paint(Style::Name, short(row.request.id.as_str())),
            terminal.paint(Style::Quiet, &format!("session {}", short(row.session.as_str())))
        ));
        terminal.line(&request::card(terminal, &row.request));
        terminal.line(&terminal.paint(Style::Quiet, &format!("  {}", request::how_to_answer(&row.request))));
    }
    if open.is_empty() && !terminal.json {
        terminal.note("nothing waits for you");
    }
    Ok(Exit::Done)
}

/// Carries out `assent answer`.
pub async fn answer(engine: &Engine, terminal: &Terminal, args: AnswerArgs) -> anyhow::Result<Exit> {
    let row = engine.requests().get(&args.id)?;
    let answer = match chosen(&row.request, args.answer, args.reason)? {
        Answer::Approve { arguments, note, .. } => Answer::Approve { arguments, note, reach: reach(args.extent) },
        other => other,
    };
    if args.record_only {
        let requests = engine.requests();
        let work = requests.record(&row.request.id, answer);
        follow(engine, terminal, Some(&row.session), &CancellationToken::new(), work).await?;
        if !terminal.json {
            terminal.note("written down; assent resume carries the run on");
        }
        return Ok(Exit::Done);
    }
    let cancel = CancellationToken::new();
    let work = engine.turns().answer(&row.request.id, answer, &cancel);
    let end = follow(engine, terminal, Some(&row.session), &cancel, work).await?;
    settle(engine, terminal, end).await
}

/// Carries out `assent resume`.
pub async fn resume(engine: &Engine, terminal: &Terminal, args: ResumeArgs) -> anyhow::Result<Exit> {
    let carried = carry_on(engine, terminal, &args).await?;
    if carried.is_none() && !terminal.json {
        terminal.note("nothing was interrupted");
        let open = engine.requests().open()?.len();
        if open > 0 {
            terminal.note(&format!("{open} waiting for your answer: assent requests"));
        }
    }
    Ok(carried.unwrap_or(Exit::Done))
}

/// Carries on what was interrupted; `None` where nothing was.
pub async fn carry_on(engine: &Engine, terminal: &Terminal, args: &ResumeArgs) -> anyhow::Result<Option<Exit>> {
    let cancel = CancellationToken::new();
    let only = args.run.as_deref();
    let ends = follow(engine, terminal, None, &cancel, engine.turns().resume(only, &cancel)).await?;
    if ends.is_empty() {
        return Ok(None);
    }
    let mut worst = Exit::Done;
    for end in ends {
        worst = match (worst, settle(engine, terminal, end).await?) {
            (Exit::Failed, _) | (_, Exit::Failed) => Exit::Failed,
            (Exit::Waiting, _) | (_, Exit::Waiting) => Exit::Waiting,
            _ => Exit::Done,
        };
    }
    Ok(Some(worst))
}

/// Answers a request with a typed line and carries its run on; `None` where the line says nothing.
pub async fn by_line(
    engine: &Engine,
    terminal: &Terminal,
    row: &RequestRow,
    line: &str,
) -> anyhow::Result<Option<TurnEnd>> {
    let Some(answer) = said(&row.request, line)? else { return Ok(None) };
    let cancel = CancellationToken::new();
    let work = engine.turns().answer(&row.request.id, answer, &cancel);
    Ok(Some(follow(engine, terminal, Some(&row.session), &cancel, work).await?))
}

/// Asks for the answer to one request after another, in the terminal, until nothing waits or the person leaves.
pub async fn ask_for_answers(engine: &Engine, terminal: &Terminal, end: TurnEnd) -> anyhow::Result<TurnEnd> {
    let mut end = end;
    while let TurnEnd::Waiting { session, .. } = &end {
        let open = engine.requests().open()?;
        let Some(row) = open.into_iter().find(|row| row.session == *session) else { return Ok(end) };
        let Some(line) = terminal.ask(&prompt(&row.request)) else { return Ok(end) };
        match by_line(engine, terminal, &row, line.trim()).await {
            Ok(Some(next)) => end = next,
            Ok(None) => return Ok(end),
            // The request is still open, and is asked once more.
            Err(problem) => terminal.note(&format!("{problem:#}")),
        }
    }
    Ok(end)
}

fn prompt(request: &Request) -> String {
    match (request.kind, request.input.kind) {
        (RequestKind::UnknownOutcome, _) => "[number, empty to leave it open] ".to_owned(),
        (RequestKind::Permit, _) if !request.reaches.is_empty() => {
            "[y]es, yes for this whole [r]un, [n]o and why, empty to leave it open: ".to_owned()
        }
        (_, InputKind::Decision | InputKind::Boolean) => "[y]es, [n]o and why, empty to leave it open: ".to_owned(),
        (_, InputKind::Select | InputKind::Multiselect) if !request.input.options.is_empty() => {
            "[number or text, empty to leave it open] ".to_owned()
        }
        _ => "[your answer, empty to leave it open] ".to_owned(),
    }
}

/// What a typed line means as an answer; `None` for an empty one.
fn said(request: &Request, line: &str) -> anyhow::Result<Option<Answer>> {
    if line.is_empty() {
        return Ok(None);
    }
    if matches!(request.input.kind, InputKind::Decision | InputKind::Boolean) && request.input.options.is_empty() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
        return match word.to_lowercase().as_str() {
            "y" | "yes" => Ok(Some(Answer::Approve { arguments: None, note: rest, reach: Reach::Once })),
            "r" | "run" if !request.reaches.is_empty() => {
                Ok(Some(Answer::Approve { arguments: None, note: rest, reach: Reach::Run }))
            }
            "n" | "no" => Ok(Some(Answer::Reject { reason: rest })),
            _ => bail!("say y or n; a reason may follow"),
        };
    }
    let choice = match line.parse::<usize>() {
        Ok(number) if !request.input.options.is_empty() && request.input.kind != InputKind::Number => {
            AnswerChoice { option: Some(number), ..nothing() }
        }
        _ => AnswerChoice { text: Some(line.to_owned()), ..nothing() },
    };
    chosen(request, choice, None).map(Some)
}

fn reach(extent: Extent) -> Reach {
    match extent {
        Extent::Once => Reach::Once,
        Extent::Step => Reach::Step,
        Extent::Run => Reach::Run,
        Extent::Workspace => Reach::Workspace,
    }
}

fn nothing() -> AnswerChoice {
    AnswerChoice { option: None, text: None, approve: false, reject: false, arguments: None }
}

fn chosen(request: &Request, choice: AnswerChoice, reason: Option<String>) -> anyhow::Result<Answer> {
    if choice.approve {
        return Ok(Answer::Approve { arguments: None, note: None, reach: Reach::Once });
    }
    if choice.reject {
        return Ok(Answer::Reject { reason });
    }
    if let Some(arguments) = choice.arguments {
        let arguments = json_argument(&arguments, "--arguments has to be one JSON object")?;
        return Ok(Answer::Approve { arguments: Some(arguments), note: None, reach: Reach::Once });
    }
    if let Some(number) = choice.option {
        let options = &request.input.options;
        let option = number.checked_sub(1).and_then(|index| options.get(index));
        let Some(option) = option else {
            bail!("there are {} options, numbered from 1; see: assent requests", options.len());
        };
        return Ok(Answer::Value { value: Value::String(option.label.clone()) });
    }
    let text = choice.text.unwrap_or_default();
    let value = match request.input.kind {
        InputKind::Number => serde_json::from_str(&text).context("the answer has to be a number")?,
        InputKind::Multiselect => text.split(',').map(|label| Value::String(label.trim().to_owned())).collect(),
        _ => Value::String(text),
    };
    Ok(Answer::Value { value })
}

#[cfg(test)]
mod tests {
    use assent_core::run::{Answer, Choice, Input, InputKind, Reach, Request, RequestKind};
    use serde_json::json;

    use super::said;

    fn request(kind: InputKind, options: &[&str]) -> Request {
        Request {
            id: "r1".into(),
            kind: RequestKind::Question,
            path: Vec::new(),
            call: None,
            asked_by: String::new(),
            prompt: "Which one?".into(),
            reason: None,
            step_index: None,
            step_total: None,
            input: Input {
                kind,
                options: options.iter().map(|o| Choice { label: (*o).into(), consequence: None }).collect(),
                allow_edit: false,
                allow_text: true,
            },
            tool: None,
            arguments: None,
            risk: None,
            reaches: Vec::new(),
        }
    }

    #[test]
    fn a_number_picks_an_option_and_other_text_is_taken_as_it_is() {
        let select = request(InputKind::Select, &["red", "blue"]);
        assert_eq!(said(&select, "2").unwrap(), Some(Answer::Value { value: json!("blue") }));
        assert_eq!(said(&select, "green").unwrap(), Some(Answer::Value { value: json!("green") }));
        assert!(said(&select, "3").is_err());
        assert_eq!(said(&select, "").unwrap(), None);
    }

    #[test]
    fn a_decision_is_yes_or_no_with_words() {
        let decision = request(InputKind::Decision, &[]);
        let no = Answer::Reject { reason: Some("too much".into()) };
        assert_eq!(said(&decision, "n too much").unwrap(), Some(no));
        assert_eq!(
            said(&decision, "yes").unwrap(),
            Some(Answer::Approve { arguments: None, note: None, reach: Reach::Once })
        );
        assert!(said(&decision, "maybe").is_err());
        assert!(said(&decision, "r").is_err(), "only where the request may be allowed for longer");
        let permit = Request { reaches: vec![Reach::Run], ..decision };
        let whole = Answer::Approve { arguments: None, note: None, reach: Reach::Run };
        assert_eq!(said(&permit, "r").unwrap(), Some(whole));
    }

    #[test]
    fn a_number_is_a_number() {
        let number = request(InputKind::Number, &[]);
        assert_eq!(said(&number, "12").unwrap(), Some(Answer::Value { value: json!(12) }));
        assert!(said(&number, "twelve").is_err());
    }
}
