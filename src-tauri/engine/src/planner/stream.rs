//! A plan while it is written: pieces of text in, titles, whole steps and pieces of an answer out.
//!
//! One pass over the characters, whatever the pieces are. Nothing here is trusted or kept; the whole reply is read
//! again by the real parser, so what this misses in an unusual text is only shown later.

use serde_json::Value;

use super::PlanningProgress;

/// Deeper nesting is not a plan.
const DEEPEST: usize = 32;
/// A longer step is not shown early.
const LONGEST_STEP: usize = 16_384;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    Object,
    Steps,
    Other,
}

/// Reads one reply.
#[derive(Debug, Default)]
pub(super) struct PlanStream {
    containers: Vec<Container>,
    /// The string that is being read, without its quotes, escapes as written.
    string: Option<String>,
    escaped: bool,
    /// The last string of the outer object that was a key, and whether its value comes next.
    key: String,
    expects_value: bool,
    /// The step that is being read, raw.
    step: Option<String>,
    steps: usize,
    /// How much of the answer was given.
    answered: usize,
}

impl PlanStream {
    /// Takes the next piece of the text.
    pub(super) fn push(&mut self, piece: &str) -> Vec<PlanningProgress> {
        let mut seen = Vec::new();
        for letter in piece.chars() {
            self.take(letter, &mut seen);
        }
        self.give_answer(&mut seen);
        seen
    }

    fn take(&mut self, letter: char, seen: &mut Vec<PlanningProgress>) {
        if let Some(step) = &mut self.step
            && step.len() < LONGEST_STEP
        {
            step.push(letter);
        }
        if let Some(string) = &mut self.string {
            if !self.escaped && letter == '"' {
                self.end_string(seen);
            } else {
                self.escaped = !self.escaped && letter == '\\';
                string.push(letter);
            }
            return;
        }
        match letter {
            '"' if !self.containers.is_empty() => self.string = Some(String::new()),
            '{' | '[' => self.open(letter),
            '}' | ']' => self.close(seen),
            ':' if self.containers.len() == 1 => self.expects_value = true,
            ',' if self.containers.len() == 1 => self.expects_value = false,
            _ => {}
        }
    }

    fn open(&mut self, letter: char) {
        let at_steps = self.containers.len() == 1 && self.expects_value && is_steps(&self.key);
        let container = match letter {
            '{' => Container::Object,
            // Brackets in prose before the object open nothing.
            _ if self.containers.is_empty() => return,
            _ if at_steps => Container::Steps,
            _ => Container::Other,
        };
        if container == Container::Object && self.containers.last() == Some(&Container::Steps) {
            self.step = Some("{".to_owned());
        }
        if self.containers.len() < DEEPEST {
            self.containers.push(container);
        }
    }

    fn close(&mut self, seen: &mut Vec<PlanningProgress>) {
        self.containers.pop();
        if self.containers.last() == Some(&Container::Steps)
            && let Some(raw) = self.step.take()
            && let Ok(value) = serde_json::from_str::<Value>(&raw)
            && let Some(description) = text_of(&value, &["do", "description"])
        {
            let tool = text_of(&value, &["tool"]).filter(|tool| tool != "none" && tool != "find");
            let required = || value.get("requiredTools")?.get(0)?.as_str().map(str::to_owned);
            seen.push(PlanningProgress::Step { index: self.steps, description, tool: tool.or_else(required) });
            self.steps += 1;
        }
        if self.containers.is_empty() {
            self.expects_value = false;
            self.key.clear();
        }
    }

    fn end_string(&mut self, seen: &mut Vec<PlanningProgress>) {
        if self.containers.len() == 1 && self.expects_value {
            self.give_answer(seen);
        }
        let raw = self.string.take().unwrap_or_default();
        if self.containers.len() != 1 {
            return;
        }
        if !self.expects_value {
            self.key = raw;
            self.answered = 0;
        } else if self.key == "title"
            && let Some(title) = unescaped(&raw)
        {
            seen.push(PlanningProgress::Title(title));
        }
    }

    /// Gives what is new of the answer, up to the last whole character.
    fn give_answer(&mut self, seen: &mut Vec<PlanningProgress>) {
        let Some(string) = &self.string else { return };
        if self.containers.len() != 1 || !self.expects_value || self.key != "answer" {
            return;
        }
        let new = &string[self.answered..];
        if let Some((text, length)) = longest_whole(new)
            && !text.is_empty()
        {
            seen.push(PlanningProgress::Answer(text));
            self.answered += length;
        }
    }
}

fn is_steps(key: &str) -> bool {
    matches!(key, "steps" | "todoList" | "todo_list" | "todos")
}

fn text_of(value: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| value.get(key)?.as_str()).map(str::to_owned)
}

fn unescaped(raw: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{raw}\"")).ok()
}

/// The longest beginning that is no half of an escape sequence (`\`, `\u12`, one half of a surrogate pair), decoded.
fn longest_whole(raw: &str) -> Option<(String, usize)> {
    let cuts = (0..=raw.len()).rev().filter(|at| raw.is_char_boundary(*at)).take(12);
    cuts.into_iter().find_map(|at| unescaped(&raw[..at]).map(|text| (text, at)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn step(index: usize, description: &str, tool: Option<&str>) -> PlanningProgress {
        PlanningProgress::Step { index, description: description.to_owned(), tool: tool.map(str::to_owned) }
    }

    fn all(text: &str, size: usize) -> Vec<PlanningProgress> {
        let mut stream = PlanStream::default();
        let letters: Vec<char> = text.chars().collect();
        let mut seen: Vec<PlanningProgress> = Vec::new();
        for piece in letters.chunks(size) {
            for one in stream.push(&piece.iter().collect::<String>()) {
                match (seen.last_mut(), one) {
                    (Some(PlanningProgress::Answer(before)), PlanningProgress::Answer(more)) => before.push_str(&more),
                    (_, one) => seen.push(one),
                }
            }
        }
        seen
    }

    const COMPACT: &str = r#"{"title":"Count \"it\"","steps":[{"tool":"grep","do":"Find ]}{[ \"TODO\"","expect":"x"},{"tool":"none","do":"Think","expect":"y"}]}"#;

    #[test]
    fn a_step_is_given_when_it_is_complete() {
        let mut stream = PlanStream::default();
        let (first, rest) = COMPACT.split_at(COMPACT.find(",{\"tool\":\"none\"").unwrap());
        assert_eq!(
            stream.push(first),
            [PlanningProgress::Title("Count \"it\"".into()), step(0, "Find ]}{[ \"TODO\"", Some("grep"))]
        );
        assert_eq!(stream.push(rest), [step(1, "Think", None)]);
    }

    #[test]
    fn full_plans_behind_words_and_markers_are_read_too() {
        let text = "Let me think: [a]\n---JSON_OUTPUT_START---\n{\"extractedContext\": {\"steps\": [{\"do\": \"no\"}]}, \
                    \"todoList\": [ {\"id\": \"1\", \"description\": \"Look\", \"requiredTools\": [\"glob\"]} ]}\n---";
        assert_eq!(all(text, 1000), [step(0, "Look", Some("glob"))]);
    }

    #[test]
    fn an_answer_comes_in_pieces_without_half_characters() {
        let text = r#"{"title":"Hi","answer":"A \"b\"\n\u00e4 \ud83d\ude00 c"}"#;
        let expected = [PlanningProgress::Title("Hi".into()), PlanningProgress::Answer("A \"b\"\nä 😀 c".into())];
        for size in 1..text.len() {
            assert_eq!(all(text, size), expected, "{size}");
        }
    }

    proptest! {
        #[test]
        fn the_pieces_do_not_matter(size in 1usize..40) {
            prop_assert_eq!(all(COMPACT, size), all(COMPACT, 10_000));
        }

        #[test]
        fn any_text_is_survived(text in r#"[\[\]{}",:\\a-c \n]{0,200}"#, size in 1usize..9) {
            all(&text, size);
        }
    }
}
