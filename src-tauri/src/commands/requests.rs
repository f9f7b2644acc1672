//! What waits for a person.

use assent_core::ids::{Digest, RequestId};
use assent_core::run::{Answer, AnswerDraft};
use assent_engine::Engine;
use assent_engine::store::{AllowanceRow, RequestRow, StoreError};
use serde_json::{Number, Value};

use super::{Answered, Here};
use crate::wire::FileLook;

pub async fn request_open(shell: Here<'_>) -> Answered<Vec<RequestRow>> {
    shell.ask(|engine| Ok(engine.requests().open()?)).await
}

pub async fn request_get(shell: Here<'_>, id: RequestId) -> Answered<RequestRow> {
    shell.ask(move |engine| Ok(engine.requests().get(id.as_str())?)).await
}

pub async fn request_answer(shell: Here<'_>, id: RequestId, answer: Answer, seen: Option<Digest>) -> Answered<()> {
    let opened = shell.opened()?;
    let answer = match answer {
        Answer::Approve { arguments: Some(changed), note, reach } => {
            Answer::Approve { arguments: Some(exact(&opened.engine, &id, changed)?), note, reach }
        }
        other => other,
    };
    let (row, turn) = opened.engine.turns().record_answer(&id, answer, seen.as_ref()).await?;
    if let Some(run) = row.run {
        shell.work().begin(row.session, move |cancel| async move {
            opened.engine.turns().carry_on(&run, turn, &cancel).await.map(|end| vec![end])
        });
    }
    Ok(())
}

pub async fn request_keep_draft(shell: Here<'_>, id: RequestId, draft: AnswerDraft) -> Answered<()> {
    shell.ask(move |engine| Ok(engine.requests().keep_draft(&id, &draft)?)).await
}

pub async fn request_change(shell: Here<'_>, id: RequestId, arguments: Option<Value>) -> Answered<FileLook> {
    shell
        .ask(move |engine| {
            let arguments = arguments.map(|changed| exact(engine, &id, changed)).transpose()?;
            Ok(engine.requests().look(&id, arguments)?.into())
        })
        .await
}

pub async fn request_allowed(shell: Here<'_>) -> Answered<Vec<AllowanceRow>> {
    shell.ask(|engine| Ok(engine.requests().allowed()?)).await
}

pub async fn request_revoke(shell: Here<'_>, id: RequestId) -> Answered<AllowanceRow> {
    shell.ask(move |engine| Ok(engine.requests().revoke(id.as_str())?)).await
}

/// Changed arguments with the whole numbers that were asked for. A page knows none beyond 2^53 exactly: what it was not to
/// change comes back rounded.
fn exact(engine: &Engine, id: &RequestId, changed: Value) -> Result<Value, StoreError> {
    let asked = engine.requests().get(id.as_str())?.request.arguments;
    Ok(with_long_numbers(changed, asked.as_ref()))
}

fn with_long_numbers(mut changed: Value, asked: Option<&Value>) -> Value {
    let mut long = Vec::new();
    gather(asked.unwrap_or(&Value::Null), &mut long);
    if !long.is_empty() {
        give_back(&mut changed, &long);
    }
    changed
}

/// The whole numbers of a value that a page rounds.
fn gather(value: &Value, long: &mut Vec<Number>) {
    match value {
        Value::Number(number) if !number.is_f64() && is_long(number) && !long.contains(number) => {
            long.push(number.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, long)),
        Value::Object(fields) => fields.values().for_each(|field| gather(field, long)),
        _ => {}
    }
}

/// Puts each of these in the place of what it is rounded to, where no other is rounded to the same.
fn give_back(value: &mut Value, long: &[Number]) {
    match value {
        Value::Number(number) if is_long(number) => {
            let mut alike = long.iter().filter(|one| one.as_f64() == number.as_f64());
            if let (Some(one), None) = (alike.next(), alike.next()) {
                *number = one.clone();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| give_back(item, long)),
        Value::Object(fields) => fields.values_mut().for_each(|field| give_back(field, long)),
        _ => {}
    }
}

/// Whether a number is beyond those that a page knows exactly.
fn is_long(number: &Number) -> bool {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    number.as_f64().is_some_and(|number| number.abs() > EXACT)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::with_long_numbers;

    #[test]
    fn a_long_number_that_a_page_has_rounded_is_the_one_that_was_asked_for() {
        let asked = json!({"id": 9_007_199_254_740_993_u64, "all": [{"of": 12_345_678_901_234_567_890_u64}], "least": -9_007_199_254_740_993_i64, "n": 3});
        // As a page gives it back, with another neighbour.
        let page =
            r#"{"id": 9007199254740992, "all": [{"of": 12345678901234567000}], "least": -9007199254740992, "n": 4}"#;
        let mut expected = asked.clone();
        expected["n"] = json!(4);
        assert_eq!(with_long_numbers(serde_json::from_str(page).unwrap(), Some(&asked)), expected);
    }

    #[test]
    fn what_was_changed_and_what_could_be_either_stays_as_it_is() {
        let asked = json!({"id": 9_007_199_254_740_993_u64, "n": 0.5});
        let changed = json!({"id": 9_007_199_254_740_996_u64, "n": 1e300});
        assert_eq!(with_long_numbers(changed.clone(), Some(&asked)), changed);
        assert_eq!(with_long_numbers(changed.clone(), None), changed);
        let both = json!([9_007_199_254_740_992_u64, 9_007_199_254_740_993_u64]);
        let rounded = json!([9_007_199_254_740_992_u64, 9_007_199_254_740_992_u64]);
        assert_eq!(with_long_numbers(rounded.clone(), Some(&both)), rounded);
    }
}
