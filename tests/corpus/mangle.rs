//! What happens to a text on its way: wrapped, spelled otherwise, cut, torn. The same for the same seed.

/// Numbers that follow from a seed (xorshift64).
pub struct Dice(pub u64);

impl Dice {
    /// A number below a limit, which is not zero.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }

    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

type Mangle = fn(&str, &mut Dice) -> String;

/// Changes that leave a whole plan whole for whoever reads it.
pub const KEEPING: &[(&str, Mangle)] = &[
    ("in a fence", |text, _| format!("Here is the plan:\n```json\n{text}\n```\nShall I begin?")),
    ("behind thinking", |text, _| {
        format!("<think>The user wants {{something}}. I could {{\"steps\": []}}.</think>\n{text}")
    }),
    ("behind prose", |text, dice| {
        format!("{} The plan is as follows.\n\n{text}", "Well, let me see. ".repeat(dice.below(30)))
    }),
    ("between markers", |text, _| format!("---JSON_OUTPUT_START---\n{text}\n---JSON_OUTPUT_END---")),
    ("with an object before", |text, _| format!("{{\"status\": \"planning\", \"confidence\": 0.9}}\n{text}")),
    ("with Windows line ends", |text, _| text.replace('\n', "\r\n")),
    ("with a byte order mark", |text, _| format!("\u{feff}{text}")),
    ("commas too many", |text, _| text.replace("\"}", "\",}").replace("}]", "},]")),
    ("commented", |text, _| text.replacen("\"title\"", "/* the title */ \"title\"", 1)),
    ("keys in single quotes", |text, _| {
        ["title", "steps", "do", "answer"]
            .iter()
            .fold(text.to_owned(), |text, key| text.replace(&format!("\"{key}\":"), &format!("'{key}':")))
    }),
];

/// One to three changes after which a plan may be whole or not.
pub fn breaking(text: &str, dice: &mut Dice) -> String {
    let mut text = text.to_owned();
    for _ in 0..=dice.below(3) {
        text = match dice.below(7) {
            0 => text[..dice.place(&text)].to_owned(),
            1 => text[dice.place(&text)..].to_owned(),
            2 => {
                let at = dice.place(&text);
                let mut rest = text[at..].chars();
                rest.next();
                format!("{}{}", &text[..at], rest.as_str())
            }
            3 => {
                let at = dice.place(&text);
                let torn = ["\"", "}", "{", "]", ",", "\\", "\n", "\u{0}", "'", "```"][dice.below(10)];
                format!("{}{torn}{}", &text[..at], &text[at..])
            }
            4 => format!("{text}\n{text}"),
            5 => text.replacen("\":", "\" ", 1),
            _ => text.replace('"', "\u{201d}"),
        };
    }
    text
}
