//! What the words of a step name: files that it changes, files that it looks at, addresses, texts that it looks for.
//!
//! Only what is certain by its form counts: a file right behind a verb that changes ("edit out.md"), or behind "to" after
//! one ("write the table to out.md"). "Fix the bug described in issue.md" names nothing here: nobody can tell from its
//! form which file is to be another. What is missed costs little; what is wrongly seen refuses right work.

use crate::planner::named_files;

/// What a step names for certain.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Files that it makes or changes.
    pub(super) changes: Vec<String>,
    /// Files that it puts something into.
    pub(super) puts: Vec<String>,
    /// Files that it does so with, or that what it writes is about: "a reply to letter.txt".
    pub(super) replies: Vec<String>,
    /// Files that it looks at.
    pub(super) reads: Vec<String>,
    /// Hosts that it talks to.
    pub(super) hosts: Vec<String>,
    /// Texts that it looks for.
    pub(super) sought: Vec<String>,
    /// Whether it is to do what it says only where something holds.
    pub(super) is_conditional: bool,
}

/// Verbs whose object is another afterwards.
const CHANGES: &str = "write create edit update change append save rewrite overwrite modify extend generate make produce delete \
    remove undo revert correct format fill";
/// Verbs that put their object somewhere.
const PUTS: &str = "add put store export convert copy move rename print output redirect extract merge collect insert \
    translate transform record";
/// Verbs that change something in a file.
const IN_PLACE: &str = "replace change set rename insert add remove delete edit";
/// Verbs that look at their object.
const READS: &str = "read open view show check inspect parse load summarise summarize analyse analyze examine review print \
    search count list scan look at validate";
/// Verbs of a step that makes a file, and does not only add to one.
const MAKES: &str = "write create save generate make produce export store put";
/// Verbs of a step that leaves another file behind than it found.
const LEAVES: &str = "edit update rewrite overwrite modify";
/// Verbs that talk to an address, and what leads to one.
const TALKS: &str = "to from at fetch get download open read load visit post send crawl check request query call";
/// What leads to a text that is looked for.
const SEEKS: &str = "mention mentions mentioning contain contains containing say says saying with word words text string \
    phrase term pattern for match matching";
/// What stands between a verb and a name.
const FILLERS: &str = "the a an new file files named called existing your this its text empty page pages url address site \
    website exact out";
/// Beside these a name may be what the step is not about.
const NEGATES: &str = "not no except excluding without besides other others instead unlike similar like than never unless leave \
    don't";
const NEGATES_CHANGES: &str = "not never don't except instead unless leave unlike";
/// A file behind "to" is no destination beside these.
const COMPARES: &str = "compare compares compared comparing similar relative according refer refers referring link links \
    reference references path paths pointer pointers equal belongs";
/// What has a file behind "to" as well, which then may be another file than the one that is written.
const REPLIES: &str = "answer answers reply replies response responses solution solutions introduction guide feedback \
    comment comments change changes edit edits update updates correction corrections fix fixes appendix alternative key \
    index addition regard respect attention call calls import imports access";
/// Beside these it is nevertheless where that is put.
const ADDS: &str = "add append insert make";
/// Verbs that put something into a file, as they are told in the passive.
const PUT: &str = "written saved stored exported";
/// Beside these before it a file is one of a later time.
const NOT_YET: &str = "so can could will would later before until ready prepare preparing prepared";
const CONDITIONS: &str = "if when unless whether only needed necessary missing";
/// Words before "in" that make what follows a place where something is told, beside those on "-ed".
const TOLD: &str = "given shown written found known as said told set";
/// Steps that begin so put one text in the place of another.
const SWAPS: &str = "replace rename change swap substitute convert translate";
/// Words of English alone. "In" is a word of other languages too, and stands elsewhere in their sentences.
const ENGLISH: &str = "the and with that which each every all for from lines line words file files";
/// Endings of files. What has another may be a name in a program, or a host.
const ENDINGS: &str = "txt md markdown rst adoc org tex bib csv tsv json jsonl yaml yml toml ini cfg conf xml html htm css scss \
    js mjs ts tsx jsx svelte vue py ipynb rb rs go java kt c h cc cpp hpp cs swift php pl lua r sh bash ps1 bat sql db \
    sqlite log pdf png jpg jpeg gif svg webp ico bmp mp3 wav ogg mp4 webm zip tar gz tgz xz doc docx odt ods odp xls xlsx \
    ppt pptx rtf epub parquet lock env diff patch proto srt vtt ics eml vcf geojson dat bin bak tmp out";
/// Files that are written in capitals. Another capital in a name stands for something: "page-N.md".
const CAPITALS: &str = "README LICENSE CHANGELOG HISTORY TODO NOTES CONTRIBUTING AUTHORS INSTALL SECURITY";
/// Words that begin a sentence within a sentence, or say what something is of.
const SUBORDINATES: &str =
    "that which for about of from by how what where whose described listed named based using after";
/// Characters of a text that is looked for.
const SOUGHT: usize = 60;

impl Named {
    /// What a description names.
    pub(super) fn of(description: &str) -> Self {
        let raw: Vec<&str> = description.split_whitespace().collect();
        let words: Vec<&str> = raw.iter().map(|word| bare(word)).collect();
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let has = |list: &str| lower.iter().any(|word| is_among(list, word));
        let is_conditional = has(CONDITIONS);
        let mut named = Self { is_conditional, ..Self::default() };
        let (looks, changes) = (!has(NEGATES), !has(NEGATES_CHANGES));
        let files = named_files(description);
        let is_english = sounds_english(&lower);
        let is_file = |at: usize| files.iter().any(|file| file == words[at]) && !is_pattern(raw[at]);
        let mut roles: Vec<Option<Role>> = vec![None; words.len()];
        for at in (0..words.len()).filter(|at| is_file(*at)) {
            roles[at] = role(&lower, at).or_else(|| roles[joined(&raw, &lower, at)?]);
            let list = match roles[at] {
                Some(Role::Changed) if changes => &mut named.changes,
                Some(Role::Put) if changes => &mut named.puts,
                Some(Role::Replied) if changes => &mut named.replies,
                None if looks && is_english && is_read(&lower, at) => &mut named.reads,
                _ => continue,
            };
            list.push(words[at].to_owned());
        }
        if looks {
            named.hosts = hosts(description);
            let swaps = lower.first().is_some_and(|first| is_among(SWAPS, first));
            named.sought = if swaps { Vec::new() } else { sought(description) };
        }
        named
    }
}

/// Whether a description is surely English.
pub(super) fn is_english(description: &str) -> bool {
    let lower: Vec<String> = description.split_whitespace().map(|word| bare(word).to_lowercase()).collect();
    sounds_english(&lower)
}

fn sounds_english(words: &[String]) -> bool {
    words.iter().any(|word| is_among(ENGLISH, word)) || words.first().is_some_and(|first| is_verb(first))
}

/// Whether a description says of nothing that it is only for later, or only where something holds, or not to be done, or of
/// a kind: what stands in a sentence of its own behind a comma may be any of it.
pub(super) fn is_plain(description: &str) -> bool {
    let is_other = |word: &str| {
        [CONDITIONS, NEGATES, NOT_YET, COMPARES, REPLIES, SUBORDINATES].iter().any(|list| is_among(list, word))
    };
    !description.contains([',', ';'])
        && !description.split_whitespace().any(|word| is_other(&bare(word).to_lowercase()))
}

/// Files that an expectation begins with, or says to have been written: what has to be there afterwards.
pub(super) fn expected(outcome: &str) -> Vec<String> {
    let words: Vec<String> = outcome.split_whitespace().map(|word| bare(word).to_owned()).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let is_made = |at: usize| match lead(&lower, at) {
        None => true,
        Some(before) => {
            let then = before.checked_sub(1).map_or("", |at| lower[at].as_str());
            matches!(lower[before].as_str(), "to" | "in" | "into" | "as")
                && (is_among(PUT, then) || matches!(then, "added" | "appended"))
        }
    };
    let files = named_files(outcome);
    let named = words.iter().enumerate().filter(|(at, word)| files.contains(word) && is_made(*at));
    named.map(|(_, word)| word.clone()).collect()
}

/// The files that a step has surely changed once it is done: it begins with a verb that leaves them behind, and says it
/// of nothing that may be so or not.
pub(super) fn leaves(description: &str) -> Vec<String> {
    let named = Named::of(description);
    let is_sure = !named.is_conditional && [MAKES, LEAVES].iter().any(|list| begins_with(description, list));
    let all = if is_sure { [named.changes, named.puts].concat() } else { Vec::new() };
    // Of "the new data.csv" in quotation marks this is but the last word.
    let is_whole = |file: &String| {
        let is_quote = |each: char| "'\"`“”‘’".contains(each);
        let word = description.split_whitespace().find(|word| bare(word) == file).unwrap_or_default();
        let end = word.trim_end_matches(['.', ',', ':', ';']);
        word.starts_with(is_quote) == end.ends_with(is_quote)
    };
    all.into_iter().filter(|file| is_file_name(file) && is_whole(file)).collect()
}

/// The files that a step makes by its description.
pub(super) fn makes(description: &str) -> Vec<String> {
    let named = Named::of(description);
    if begins_with(description, MAKES) { [named.changes, named.puts].concat() } else { Vec::new() }
}

/// Whether a step begins with one of these verbs.
fn begins_with(description: &str, list: &str) -> bool {
    description.split_whitespace().next().is_some_and(|word| is_among(list, &bare(word).to_lowercase()))
}

/// Whether a name is surely one of a file: it ends as files do. "Node.js" is a program, and "letters/NAME.txt" stands for
/// many files.
pub(super) fn is_file_name(name: &str) -> bool {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_program = ending == "js" && name.starts_with(char::is_uppercase);
    let is_capital = |word: &str| !word.is_empty() && word.chars().all(char::is_uppercase) && !is_among(CAPITALS, word);
    let is_open = || stem.split(|sign: char| !sign.is_alphabetic()).any(is_capital);
    is_among(ENDINGS, &ending.to_lowercase()) && !is_program && !is_open()
}

/// Whether a list of words with blanks between has this one.
pub(super) fn is_among(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// A word without the signs around it.
pub(super) fn bare(word: &str) -> &str {
    let word = word.trim_matches(|each: char| !each.is_alphanumeric() && !"/_~-.'".contains(each));
    word.trim_matches('\'').trim_end_matches(['.', ':', '-'])
}

/// The word that leads to the one at a place.
fn lead(words: &[String], at: usize) -> Option<usize> {
    (0..at).rev().find(|before| !words[*before].is_empty() && !is_among(FILLERS, &words[*before]))
}

/// The word to which "and" or a comma joins the one at a place: "a.txt and the file b.txt", "a.txt, b.txt".
fn joined(raw: &[&str], words: &[String], at: usize) -> Option<usize> {
    let is_and = |word: &str| matches!(word, "and" | "");
    let before = (0..at).rev().find(|at| !is_and(&words[*at]) && !is_among(FILLERS, &words[*at]))?;
    let is_joined = raw[before].ends_with(',') || words[before + 1..at].iter().any(|word| is_and(word));
    is_joined.then_some(before)
}

/// What a file is to a step that changes something.
#[derive(Clone, Copy)]
enum Role {
    /// It is the object of a verb that changes.
    Changed,
    /// Something is put there.
    Put,
    /// What is written is an answer to it, or is put there.
    Replied,
}

fn role(words: &[String], at: usize) -> Option<Role> {
    let before = lead(words, at)?;
    let (word, earlier) = (words[before].as_str(), &words[..before]);
    let among = |list: &str| earlier.iter().any(|word| is_among(list, word));
    if among(NOT_YET) {
        return None;
    }
    let then = earlier.last().map_or("", String::as_str);
    match word {
        word if is_among(CHANGES, word) => Some(Role::Changed),
        "to" | "into" | "as" if !(among(CHANGES) || among(PUTS)) || among(COMPARES) => None,
        "to" if is_among(REPLIES, then) && !among(ADDS) => Some(Role::Replied),
        // "The arguments that are passed to main.py".
        "to" | "into" | "as" => (!then.ends_with("ed") || is_among(PUT, then)).then_some(Role::Put),
        "in" if is_told(earlier.last()) => None,
        "in" => earlier.first().is_some_and(|first| is_among(IN_PLACE, first)).then_some(Role::Changed),
        _ => None,
    }
}

fn is_verb(word: &str) -> bool {
    [CHANGES, PUTS, IN_PLACE, READS, TALKS].iter().any(|list| is_among(list, word))
}

/// Whether a word stands for many files, or for one whose name is still open: "*-old.txt", "{name}-out.csv".
fn is_pattern(word: &str) -> bool {
    word.contains(['*', '{', '}', '<', '>', '$', '%']) || word.starts_with('?')
}

fn is_read(words: &[String], at: usize) -> bool {
    let Some(before) = lead(words, at) else { return false };
    let word = words[before].as_str();
    let leads = matches!(word, "in" | "of" | "from" | "through" | "within" | "inside");
    is_among(READS, word) || leads && !is_told(before.checked_sub(1).map(|at| &words[at]))
}

/// "The rows that are listed in b.txt" are not in b.txt.
fn is_told(word: Option<&String>) -> bool {
    word.is_some_and(|word| word.ends_with("ed") || is_among(TOLD, word))
}

fn hosts(description: &str) -> Vec<String> {
    let words: Vec<&str> = description.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| bare(word).to_lowercase()).collect();
    let talks = |at: usize| lead(&lower, at).is_some_and(|before| is_among(TALKS, &lower[before]));
    let led = words.iter().enumerate().filter(|(at, word)| word.contains("://") && talks(*at));
    led.filter_map(|(_, word)| host(word)).collect()
}

/// The host of an address in a word.
pub(super) fn host(word: &str) -> Option<String> {
    let (_, rest) = word.split_once("://")?;
    let authority = rest.split(|each: char| "/?#\\\"'`)>,;".contains(each)).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().trim_end_matches('.').to_lowercase();
    (!host.is_empty()).then(|| host.strip_prefix("www.").unwrap_or(&host).to_owned())
}

/// The texts in quotation marks behind a word that says that they are looked for. An apostrophe is none.
fn sought(description: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some((open, sign)) = description[rest..].char_indices().find(|(_, each)| "\"'`“‘«".contains(*each)) {
        let (open, begin) = (rest + open, rest + open + sign.len_utf8());
        rest = begin;
        let before = description[..open].chars().next_back();
        if before.is_some_and(|each| !each.is_whitespace() && each != '(') {
            continue;
        }
        let close = match sign {
            '“' => '”',
            '‘' => '’',
            '«' => '»',
            same => same,
        };
        let ends = |(at, each): &(usize, char)| {
            let next = description[begin + at + each.len_utf8()..].chars().next();
            *each == close && next.is_none_or(|next| !next.is_alphanumeric())
        };
        let Some((end, _)) = description[begin..].char_indices().find(ends) else { continue };
        let text = &description[begin..begin + end];
        rest = begin + end + close.len_utf8();
        let words: Vec<String> = description[..open].split_whitespace().map(|word| bare(word).to_lowercase()).collect();
        let led = words.iter().rev().find(|word| !matches!(word.as_str(), "the" | "a" | "an" | "exact"));
        let is_text = !text.contains(['/', '*', '\n']) && named_files(text).is_empty() && stems(text).next().is_some();
        if is_text && text.chars().count() <= SOUGHT && led.is_some_and(|word| is_among(SEEKS, word)) {
            found.push(text.to_owned());
        }
    }
    found
}

/// The beginnings of the words of a text, by which other forms of them are found.
pub(super) fn stems(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|each: char| !each.is_alphanumeric()).filter(|word| word.chars().count() >= 3);
    words.map(|word| word.to_lowercase().chars().take(5).collect())
}

#[cfg(test)]
mod tests;
