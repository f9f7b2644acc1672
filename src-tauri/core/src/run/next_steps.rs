//! The next steps that a text offers: "Next steps" with a list below it, or with choices behind it. Read from hostile
//! text: what cannot be told apart is said to be unclear and never guessed.

/// What a person may do next, as a question with answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextSteps {
    /// What is asked.
    pub question: String,
    /// The answers, at least two.
    pub options: Vec<String>,
}

/// What a text says of next steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    /// It does not speak of them.
    None,
    /// It does, and what they are cannot be read from its form: the part of the text that speaks of them.
    Unclear(String),
    /// These.
    Steps(NextSteps),
}

/// The question where the text has none of its own.
pub const NEXT_QUESTION: &str = "What would you like to do next?";
/// What models write above them, in the languages that most of them speak.
const HEADINGS: [&str; 25] = [
    "next steps",
    "next step",
    "nächste schritte",
    "die nächsten schritte",
    "prochaines étapes",
    "étapes suivantes",
    "próximos pasos",
    "siguientes pasos",
    "próximos passos",
    "prossimi passi",
    "passi successivi",
    "volgende stappen",
    "nästa steg",
    "neste steg",
    "næste skridt",
    "następne kroki",
    "další kroky",
    "sonraki adımlar",
    "следующие шаги",
    "дальнейшие шаги",
    "наступні кроки",
    "下一步",
    "次のステップ",
    "다음 단계",
    "الخطوات التالية",
];
/// Characters of an answer; what is longer is an explanation.
const OPTION_CHARS: usize = 60;
/// Answers that a person is shown.
const MOST_OPTIONS: usize = 8;
/// Bytes of a part that is unclear.
const PART: usize = 2_000;

impl NextSteps {
    /// A question with its answers, as far as they can be shown; `None` where fewer than two are left.
    pub fn new<'a>(question: &str, options: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut kept: Vec<String> = Vec::new();
        for option in options.into_iter().map(label) {
            let fits = !option.is_empty() && option.chars().count() <= OPTION_CHARS;
            if !fits {
                return None;
            }
            if kept.len() < MOST_OPTIONS && !kept.iter().any(|one| one.to_lowercase() == option.to_lowercase()) {
                kept.push(option);
            }
        }
        let question = question.trim();
        let question = if question.is_empty() { NEXT_QUESTION } else { question };
        (kept.len() >= 2).then(|| Self { question: question.to_owned(), options: kept })
    }

    /// Whether a question is about these steps: it speaks of what is next, names one of them, or offers one of them.
    pub fn are_asked_by<'a>(&self, question: &str, options: impl IntoIterator<Item = &'a str>) -> bool {
        let question = question.to_lowercase();
        let own: Vec<String> = self.options.iter().map(|option| option.to_lowercase()).collect();
        let words = |text: &str| text.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "next");
        words(&question)
            || own.iter().any(|option| question.contains(option.as_str()))
            || options.into_iter().any(|option| own.contains(&label(option).to_lowercase()))
    }
}

/// Characters of a line that may be a heading though it begins with other words.
const HEADING_CHARS: usize = 60;

/// The next steps of a text; of several parts that speak of them the last counts.
pub fn next_steps(text: &str) -> Offer {
    let lines: Vec<&str> = text.lines().collect();
    let heading = lines.iter().enumerate().rev().find_map(|(at, line)| Some((at, heading(line)?)));
    let Some((at, behind)) = heading else { return Offer::None };
    let below = part(&lines[at + 1..]);
    let items: Vec<&str> = below.iter().filter_map(|line| item(line)).collect();
    let question = below.iter().map(|line| line.trim()).find(|line| item(line).is_none() && line.ends_with('?'));
    let read = if items.is_empty() {
        NextSteps::new(question.unwrap_or_default(), choices(behind))
    } else {
        NextSteps::new(question.unwrap_or_default(), items)
    };
    read.map_or_else(
        || {
            let mut unclear = std::iter::once(behind).chain(below).collect::<Vec<_>>().join("\n").trim().to_owned();
            let cut = (0..=PART.min(unclear.len())).rev().find(|at| unclear.is_char_boundary(*at));
            unclear.truncate(cut.unwrap_or_default());
            if unclear.is_empty() { Offer::None } else { Offer::Unclear(unclear) }
        },
        Offer::Steps,
    )
}

/// What stands behind "Next steps" in a line that is a heading: one that begins with it, or a short one that is marked as
/// a heading, or ends in a colon, and ends with it.
fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    let is_marked = line.starts_with('#') || line.starts_with("**") && line.trim_end_matches(':').ends_with("**");
    let plain = line.trim_start_matches(|sign: char| !sign.is_alphanumeric());
    if let Some(rest) = HEADINGS.iter().find_map(|heading| behind(plain, heading)) {
        // A sentence that goes on is no heading: "Next steps were taken".
        let rest = rest.trim_start_matches(['*', '_', ' ']);
        if rest.is_empty() || rest.starts_with([':', '：', '-', '–', '—', '?']) {
            return Some(rest.trim_start_matches([':', '：', '-', '–', '—', '?', '*', '_', ' ']));
        }
    }
    let end = plain.trim_end_matches(['*', '_', ' ']);
    let is_short = (is_marked || end.ends_with([':', '：'])) && plain.chars().count() <= HEADING_CHARS;
    let words = end.trim_end_matches([':', '：', '*', '_', ' ', '?', '!']).to_lowercase();
    let ends = HEADINGS
        .iter()
        .any(|heading| words.strip_suffix(heading).is_some_and(|before| !before.ends_with(char::is_alphanumeric)));
    (is_short && ends).then_some("")
}

/// What stands behind words in small letters with which a line begins, in whatever letters.
fn behind<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    let mut letters = line.chars();
    let begins = words.chars().all(|word| letters.next().is_some_and(|letter| letter.to_lowercase().eq([word])));
    begins.then_some(letters.as_str())
}

/// The lines below a heading, up to the next one.
fn part<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let mut taken: Vec<&str> = Vec::new();
    let mut listed = false;
    for line in lines {
        let is_item = item(line).is_some();
        let is_over = line.trim_start().starts_with('#')
            || (listed
                && !is_item
                && taken.last().is_some_and(|last| last.trim().is_empty())
                && !line.trim().ends_with('?'));
        if is_over {
            break;
        }
        listed |= is_item;
        taken.push(line);
    }
    taken
}

/// An item of a list.
fn item(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix(['-', '*', '•', '+']) {
        return rest.strip_prefix(' ').map(str::trim);
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).filter(|_| (1..=2).contains(&digits))?;
    rest.strip_prefix(['.', ')'])?.strip_prefix(' ').map(str::trim)
}

/// Choices in one line: `Run it now / Modify / Not now`.
fn choices(line: &str) -> Vec<&str> {
    let parts: Vec<&str> =
        line.split([" / ", " | "].iter().find(|sign| line.contains(**sign)).copied().unwrap_or(" / ")).collect();
    if parts.len() > 1 { parts } else { Vec::new() }
}

/// An answer without its marks and its explanation.
fn label(text: &str) -> String {
    let text = text.trim();
    let bold = text.strip_prefix("**").and_then(|rest| rest.split_once("**")).map(|(bold, _)| bold);
    let plain = [" — ", " – ", " - ", ": "]
        .iter()
        .fold(bold.unwrap_or(text), |text, sign| text.split_once(sign).map_or(text, |(label, _)| label));
    plain.trim_matches(|letter: char| letter.is_whitespace() || "*_`\"'.:;,".contains(letter)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{NEXT_QUESTION, NextSteps, Offer, next_steps};

    fn steps(question: &str, options: &[&str]) -> Offer {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        Offer::Steps(NextSteps { question: question.to_owned(), options })
    }

    // covers: P54
    #[test]
    fn a_heading_may_begin_with_other_words_or_signs() {
        let items = "\n- Run it now\n- Modify\n- Not now";
        let expected = steps(NEXT_QUESTION, &["Run it now", "Modify", "Not now"]);
        for heading in [
            "**Suggested next steps:**",
            "🚀 Next steps",
            "Here are the next steps:",
            "Next step:",
            "## Your possible next steps",
            "**What to do: next steps**",
        ] {
            assert_eq!(next_steps(&format!("All is set up.\n\n{heading}{items}")), expected, "{heading}");
        }
        for sentence in ["I have taken the next steps", "The next steps were taken:", "# Steps next to each other"] {
            assert_eq!(next_steps(&format!("{sentence}{items}")), Offer::None, "{sentence}");
        }
    }

    #[test]
    fn next_steps_are_read_from_lists_and_from_choices_in_a_line() {
        let seeds = steps(NEXT_QUESTION, &["Run it now", "Modify", "Not now"]);
        for text in [
            "The agent is made.\n\n## Next steps\n- Run it now\n- Modify\n- Not now",
            "**Next steps:**\n\n1. **Run it now** – takes a minute\n2. Modify: change its prompt\n3. `Not now`.\n\nBye.",
            "Done.\nnext steps: Run it now / Modify / Not now",
            "Next steps\n* Run it now\n* Modify\n* modify\n* Not now\n\n## Notes\n- one\n- two",
            "## Next steps\nnothing\n\n## Next steps — Run it now | Modify | Not now",
        ] {
            assert_eq!(next_steps(text), seeds, "{text}");
        }
        for text in [
            "## Nächste Schritte\n- Los\n- Nicht jetzt",
            "**PROCHAINES ÉTAPES :** Los / Nicht jetzt",
            "下一步：Los / Nicht jetzt",
        ] {
            assert_eq!(next_steps(text), steps(NEXT_QUESTION, &["Los", "Nicht jetzt"]), "{text}");
        }
        let asked = "Next steps:\nWhat shall I do with the agent?\n- Run it now\n- Not now";
        assert_eq!(next_steps(asked), steps("What shall I do with the agent?", &["Run it now", "Not now"]));
    }

    // covers: P55
    #[test]
    fn a_text_without_next_steps_offers_none() {
        for text in [
            "",
            "The agent is made.",
            "Next steps were taken yesterday: a / b",
            "These are the next steps",
            "## Next steps",
            "Next stepsé",
            "- Run it now\n- Modify",
        ] {
            assert_eq!(next_steps(text), Offer::None, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_told_apart_is_unclear() {
        let long = format!("Next steps:\n- Run\n- {}", "long ".repeat(20));
        for text in ["Next steps: you could run it, or change it first.", "Next steps\n- Run it now", long.as_str()] {
            let Offer::Unclear(part) = next_steps(text) else { panic!("{text}") };
            assert!(text.contains(part.lines().next().unwrap()) && !part.starts_with("Next"), "{part}");
        }
        let endless = format!("Next steps: {}", "é".repeat(5_000));
        assert!(matches!(next_steps(&endless), Offer::Unclear(part) if part.len() <= 2_000));
    }

    #[test]
    fn a_question_about_the_steps_is_told_from_another_one() {
        let Offer::Steps(steps) = next_steps("Next steps: Run it now / Modify / Not now") else { panic!() };
        for (question, options, about) in [
            ("Which credentials shall the agent use?", &[][..], false),
            ("Which account?", &["work", "private"][..], false),
            ("The nextcloud password?", &[][..], false),
            ("What next?", &[][..], true),
            ("Shall I run it now?", &[][..], true),
            ("Well?", &["modify", "Leave it"][..], true),
        ] {
            assert_eq!(steps.are_asked_by(question, options.iter().copied()), about, "{question}");
        }
    }
}
