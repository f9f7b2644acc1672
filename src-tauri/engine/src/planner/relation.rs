//! What a message is to the plan before it: one short call, made only where there is such a plan. A message that goes on
//! from it is planned with it; an answer goes to the step that asked; any other message is planned as if it were the first.

use assent_core::run::Purpose;
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use super::compose::{Prompt, so_far};
use super::record::Recorder;
use super::values::named_files;
use super::{After, Planner, PlanningError, Trace, Unplanned};
use crate::model::{Model, OutputFormat, PlannerProfile};
use crate::prompt::{Relation as Asked, RelationUser};

/// Tokens of the reply: one word in an object.
const REPLY_TOKENS: u32 = 40;

/// What a message is to the plan before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It answers what the plan waits to hear.
    Answer,
    /// It goes on from the plan or changes it.
    Earlier,
    /// It has nothing to do with it.
    New,
}

impl Relation {
    /// The words of the reply, each with what it says.
    fn words(after: &After<'_>) -> &'static [(&'static str, Self)] {
        match after {
            After::Nothing | After::Comment => &[],
            After::Question { .. } => &[("answer", Self::Answer), ("change", Self::Earlier), ("other", Self::New)],
            After::Finished(_) => &[("earlier", Self::Earlier), ("new", Self::New)],
        }
    }

    /// What an unreadable reply says: an answer is what a question waits for; work that is over is left alone.
    fn otherwise(after: &After<'_>) -> Self {
        if matches!(after, After::Question { .. }) { Self::Answer } else { Self::New }
    }
}

impl Planner {
    /// Judges a message by the plan before it. Nothing is asked where there is none.
    ///
    /// # Errors
    /// [`Unplanned`] for a broken prompt template, or a model that could not be asked.
    pub async fn relation(
        &self,
        model: &dyn Model,
        after: &After<'_>,
        message: &str,
        cancel: &CancellationToken,
    ) -> Result<(Relation, Trace), Unplanned> {
        let words = Relation::words(after);
        let small = model.profile().planner == PlannerProfile::Compact;
        if words.is_empty() || (small && !may_refer(after, message)) {
            return Ok((Relation::New, Trace::default()));
        }
        let mut recorder = Recorder::new(&*self.clock, Purpose::Relation, model.profile().id.clone());
        match self.judged(model, after, message, cancel, &mut recorder).await {
            Ok(text) => {
                let said = words.iter().find(|(word, _)| says(&text, word)).map(|(_, relation)| *relation);
                Ok((said.unwrap_or_else(|| Relation::otherwise(after)), recorder.into_trace()))
            }
            Err(error) => Err(Unplanned { error, trace: recorder.into_trace() }),
        }
    }

    async fn judged(
        &self,
        model: &dyn Model,
        after: &After<'_>,
        message: &str,
        cancel: &CancellationToken,
        recorder: &mut Recorder<'_>,
    ) -> Result<String, PlanningError> {
        let (plan, question) = match after {
            After::Nothing | After::Comment => (None, None),
            After::Question { plan, question } => (Some(plan), Some(*question)),
            After::Finished(plan) => (Some(plan), None),
        };
        let before = plan.map_or("", |progress| progress.plan.user_message.as_str());
        let profile = model.profile().planner;
        let steps = if profile == PlannerProfile::Full { so_far(&self.templates, profile, after)? } else { None };
        let system = self.templates.render(&Asked { question: question.is_some() })?;
        let user = self.templates.render(&RelationUser { question, before, steps: steps.as_deref(), message })?;
        let words: Vec<&str> = Relation::words(after).iter().map(|(word, _)| *word).collect();
        let schema = json!({
            "type": "object",
            "properties": {"message": {"enum": words}},
            "required": ["message"],
            "additionalProperties": false,
        });
        let output = OutputFormat::Json { name: "relation".to_owned(), schema: schema.into() };
        let prompt = Prompt::short(Purpose::Relation, profile, (system, user), output, REPLY_TOKENS);
        recorder.asked();
        let (deltas, _unread) = unbounded_channel();
        let reply = model.reply(&prompt.request, &deltas, cancel).await.inspect_err(|error| recorder.failed(error))?;
        recorder.replied(&prompt, &reply, &[]);
        Ok(reply.text)
    }
}

/// Words that speak of something said before.
const REFERRING: [&str; 44] = [
    "again",
    "also",
    "another",
    "back",
    "besides",
    "change",
    "continue",
    "else",
    "further",
    "go on",
    "he",
    "her",
    "him",
    "instead",
    "it",
    "its",
    "last",
    "latter",
    "longer",
    "more",
    "now",
    "once more",
    "one",
    "ones",
    "other",
    "previous",
    "redo",
    "repeat",
    "rest",
    "result",
    "results",
    "retry",
    "same",
    "shorter",
    "step",
    "still",
    "that",
    "them",
    "then",
    "these",
    "this",
    "those",
    "too",
    "undo",
];

/// The same in German; words that may be an article or address a person are none of them.
const REFERRING_GERMAN: [&str; 44] = [
    "andere",
    "anderen",
    "anderes",
    "auch",
    "außerdem",
    "daraus",
    "davon",
    "denselben",
    "dasselbe",
    "dieselbe",
    "diese",
    "diesem",
    "diesen",
    "dieser",
    "dieses",
    "ergebnis",
    "ergebnisse",
    "erneut",
    "fortsetzen",
    "gleiche",
    "gleichen",
    "ihm",
    "ihn",
    "jetzt",
    "kürzer",
    "letzte",
    "letzten",
    "länger",
    "mehr",
    "noch",
    "nochmal",
    "nochmals",
    "rest",
    "rückgängig",
    "schritt",
    "sonst",
    "stattdessen",
    "vorherige",
    "vorige",
    "weiter",
    "wieder",
    "zurück",
    "ändere",
    "ändern",
];

/// The same in French and Spanish.
const REFERRING_OTHERS: [&str; 40] = [
    "ahora",
    "al revés",
    "alors",
    "anterior",
    "aussi",
    "autre",
    "autres",
    "cela",
    "celle",
    "celui",
    "continúa",
    "continue",
    "continuez",
    "corrige",
    "dernier",
    "dernière",
    "deshaz",
    "en vez",
    "encore",
    "ensuite",
    "étape",
    "eso",
    "esto",
    "igual",
    "lo mismo",
    "le même",
    "la même",
    "más",
    "maintenant",
    "mismo",
    "otra vez",
    "otro",
    "otros",
    "paso",
    "plutôt",
    "précédent",
    "reste",
    "résultat",
    "resultado",
    "también",
];

/// Words by which a message follows what was said, where it begins with one.
const FOLLOWING: [&str; 20] = [
    "and", "but", "or", "so", "as", "without", "with", "und", "aber", "oder", "ohne", "mit", "et", "mais", "ou",
    "sans", "avec", "y", "pero", "sin",
];

/// Whether a message can be about earlier work. A small model takes any task for a part of the one before; so it is
/// asked only where a word or a file of the message speaks of that. What it is not asked is planned as a task of its
/// own, with the conversation in view.
fn may_refer(after: &After<'_>, message: &str) -> bool {
    let After::Finished(progress) = after else { return true };
    let lower = message.to_lowercase();
    let words: Vec<&str> = lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let follows = words.first().is_some_and(|first| FOLLOWING.contains(first));
    let refers = |cue: &&str| {
        let cue: Vec<&str> = cue.split(' ').collect();
        words.windows(cue.len()).any(|window| window == cue)
    };
    let earlier = |file: &String| {
        let told = progress.plan.steps.iter().map(|step| step.description.as_str());
        told.chain([progress.plan.user_message.as_str()]).any(|text| text.contains(file.as_str()))
    };
    follows
        || REFERRING.iter().chain(&REFERRING_GERMAN).chain(&REFERRING_OTHERS).any(refers)
        || named_files(message).iter().any(earlier)
}

/// Whether a reply is this word, bare or in the object that was asked for.
fn says(text: &str, word: &str) -> bool {
    text.trim().eq_ignore_ascii_case(word) || text.contains(&format!("\"{word}\""))
}

#[cfg(test)]
mod tests {
    use assent_core::plan::{Header, Outline, to_plan};

    use super::{After, may_refer, says};
    use crate::planner::Progress;

    #[test]
    fn only_what_speaks_of_earlier_work_is_judged_by_a_small_model() {
        let header = Header {
            id: "p".into(),
            version: 1,
            supersedes: None,
            session_id: "s".into(),
            user_message: "Count the lines about patents, write a table to patents.md".into(),
            created_at: 0,
        };
        let (plan, _) = to_plan(Outline::default(), header, &[]);
        let progress = Progress { plan: &plan, next: 2, settled: &[], remarks: &[] };
        for (message, may) in [
            ("now also sort it by number", true),
            ("change step 2 to write a CSV file", true),
            ("Continue.", true),
            ("and without MIT?", true),
            ("Replace MIT in patents.md", true),
            ("Once more, please", true),
            ("Which are the three largest files?", false),
            ("In package.json set the version to 2.1.0.", false),
            ("Thanks!", false),
            ("Wie viele Dateien gibt es hier?", false),
            ("Sortiere die Tabelle nochmal nach der Zahl", true),
            ("Und ohne MIT?", true),
            ("Mach stattdessen eine Liste davon.", true),
            ("Ändere Schritt 2: schreib eine CSV-Datei", true),
            ("Schreib das Datum von heute in datum.md", false),
            ("Trie-le plutôt par numéro", true),
            ("Et sans MIT ?", true),
            ("Combien de fichiers y a-t-il ici ?", false),
            ("Ordénalo otra vez por número", true),
            ("Pero sin MIT", true),
            ("¿Cuántos archivos hay aquí?", false),
            ("Können Sie die Bilder in bilder/ zählen?", false),
        ] {
            assert_eq!(may_refer(&After::Finished(&progress), message), may, "{message}");
        }
        let question = After::Question { plan: &progress, question: "Which one?" };
        assert!(may_refer(&question, "Thanks!"), "what is said to a question is always judged");
    }

    #[test]
    fn a_word_is_read_bare_or_in_its_object() {
        for text in ["answer", " Answer\n", "{\"message\": \"answer\"}", "```json\n{\"message\":\"answer\"}\n```"] {
            assert!(says(text, "answer"), "{text}");
        }
        assert!(!says("{\"message\": \"change\"}", "answer") && !says("I would answer", "answer"));
    }
}
