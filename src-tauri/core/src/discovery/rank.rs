//! From what a request and a tool have in common to one number, and why.

use super::index::{Entry, Index, Word};
use super::request::Request;
use super::words::stems;

/// Something that speaks for or against a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Words of that part of the request which it fits best, weighed by how rare they are, as a share of the best
    /// tool's for that part.
    Words,
    /// Words of the whole request, likewise.
    Whole,
    /// Words that stand beside each other in the request and in the tool.
    Neighbours,
    /// How much of its name the request says.
    Name,
    /// How much of its description the request says.
    Description,
    /// Values in the request that its parameters take.
    Values,
    /// Parameters that it cannot do without: the more it wants, the less likely a request states them all.
    Required,
    /// Numbers that it cannot do without and the request does not state.
    LackingNumbers,
    /// Past requests like this one for which it was the right tool.
    Taught,
    /// How alike it and the request are in meaning, where that is known.
    Meaning,
}

/// What each reason weighs. Fitted on halves of several catalogues and checked on the other halves and on catalogues
/// that had no part in it (`bench/retrieval/fit.py`), then rounded: twice as much or half of any of them moves recall by
/// less than a hundredth. That of what was taught is set so that a past request which is the same outweighs a better fit of
/// words, and one that shares half of its words does not.
const WEIGHTS: [(Reason, f32); REASONS] = [
    (Reason::Words, 1.0),
    (Reason::Whole, 0.5),
    (Reason::Neighbours, 0.2),
    (Reason::Name, 0.3),
    (Reason::Description, 0.1),
    (Reason::Values, 0.6),
    (Reason::Required, -0.15),
    (Reason::LackingNumbers, -0.5),
    (Reason::Taught, 1.0),
    (Reason::Meaning, 1.0),
];
const REASONS: usize = 10;

/// Required parameters beyond this many say nothing more.
const MOST_REQUIRED: usize = 5;
/// So do lacking numbers.
const MOST_LACKING: usize = 2;

/// What a score is made of: each value from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reasons([f32; REASONS]);

impl Reasons {
    /// Every reason with its value and with what it adds to the score.
    pub fn iter(&self) -> impl Iterator<Item = (Reason, f32, f32)> {
        WEIGHTS.iter().zip(self.0).map(|((reason, weight), value)| (*reason, value, weight * value))
    }
}

/// The score that reasons come to.
pub(super) fn rank(reasons: &Reasons) -> f32 {
    reasons.iter().map(|(_, _, adds)| adds).sum()
}

/// A request as the tools of one index are compared with it.
pub(super) struct Comparison<'a> {
    /// Scores by place, for the whole request and for each of its parts if there are several.
    scores: Vec<Vec<f32>>,
    /// The best of each of those, with how much it counts.
    best: Vec<(f32, f32)>,
    /// By stem, what it counts as a word of the request.
    counts: Vec<f32>,
    /// Stems that stand beside each other, ascending.
    pairs: Vec<(u32, u32)>,
    /// What parameters are called that the request has values for.
    cues: Vec<u32>,
    numbers: usize,
    rarity: &'a [f32],
}

impl<'a> Comparison<'a> {
    pub(super) fn of(request: &Request, words: &[Word], scores: Vec<Vec<f32>>, index: &'a Index) -> Self {
        let best: Vec<f32> = scores.iter().map(|scores| scores.iter().copied().fold(0.0, f32::max)).collect();
        let most = best.iter().skip(1).copied().fold(0.0, f32::max);
        // A part of empty phrases has a best tool too, but not one that was asked for.
        let weighed = |best: f32| (best, (2.0 * best / most.max(f32::EPSILON)).min(1.0));
        let rarity = index.rarity();
        let mut counts = vec![0.0_f32; rarity.len()];
        for (number, value) in words.iter().flat_map(|word| &word.counts) {
            counts[*number as usize] = counts[*number as usize].max(*value);
        }
        let number = |place: usize| request.stems.get(place).and_then(|(stem, _)| index.number(stem));
        let mut pairs: Vec<(u32, u32)> =
            request.pairs.iter().filter_map(|(one, next)| Some((number(*one)?, number(*next)?))).collect();
        pairs.sort_unstable();
        let cues = request.cues.iter().flat_map(|cue| stems(cue, 1)).filter_map(|stem| index.number(&stem)).collect();
        let best = best.into_iter().map(weighed).collect();
        Self { scores, best, counts, pairs, cues, numbers: request.numbers, rarity }
    }

    pub(super) fn with(&self, place: u32, entry: &Entry, taught: f32, alike: f32) -> Reasons {
        let share = |value: f32, of: f32| if of > 0.0 { (value / of).min(1.0) } else { 0.0 };
        let mut parts = self.scores.iter().zip(&self.best);
        let Some((whole, (most, _))) = parts.next() else { return Reasons::default() };
        let whole = share(whole[place as usize], *most);
        let words = parts.map(|(scores, (best, counts))| share(scores[place as usize], *best) * counts);
        // A request of one piece is its own part.
        let words = if self.scores.len() == 1 { whole } else { words.fold(0.0, f32::max) };
        let taken = self.cues.iter().filter(|cue| entry.parameters.binary_search(cue).is_ok());
        let taken: f32 = taken.map(|cue| self.rarity[*cue as usize] / 2.0).sum();
        let lacking = entry.required_numbers.saturating_sub(self.numbers).min(MOST_LACKING);
        Reasons([
            words,
            whole,
            share(self.neighbours(entry), *most),
            self.covered(&entry.title),
            self.covered(&entry.description),
            share(taken, *most),
            entry.required.min(MOST_REQUIRED) as f32 / MOST_REQUIRED as f32,
            lacking as f32 / MOST_LACKING as f32,
            taught.clamp(0.0, 1.0),
            alike.clamp(0.0, 1.0),
        ])
    }

    /// How much of a text the request says, by how rare its words are; a text of common words counts little.
    fn covered(&self, text: &[u32]) -> f32 {
        let (mut said, mut all) = (0.0, 1.0);
        for stem in text {
            let rarity = self.rarity[*stem as usize];
            said += rarity * self.counts[*stem as usize];
            all += rarity;
        }
        said / all
    }

    /// How rare the words are that stand beside each other in the request and in the name or description.
    fn neighbours(&self, entry: &Entry) -> f32 {
        let itself = |stem: u32| self.counts[stem as usize] == 1.0;
        let pairs = entry.title.windows(2).chain(entry.description.windows(2)).map(|pair| (pair[0], pair[1]));
        let asked = |pair: &(u32, u32)| itself(pair.0) && itself(pair.1) && self.pairs.binary_search(pair).is_ok();
        let mut shared: Vec<(u32, u32)> = Vec::new();
        let mut sum = 0.0;
        for pair in pairs.filter(asked) {
            if !shared.contains(&pair) {
                shared.push(pair);
                sum += (self.rarity[pair.0 as usize] + self.rarity[pair.1 as usize]) / 2.0;
            }
        }
        sum
    }
}
