//! From what a request and a tool have in common to one number, and why.

use std::collections::HashSet;

use super::index::{Entry, Index};
use super::request::Request;
use super::words::stems;

/// Something that speaks for or against a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Words of the request, weighed by how rare they are, as a share of the best tool's.
    Words,
    /// Words of that part of the request which it fits best, as a share of the best tool's for that part.
    Part,
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
}

/// What each reason weighs, in the order of [`Reason`]. Chosen on halves of several catalogues and checked on the other
/// halves and on catalogues that had no part in it; rounded, since the second digit is noise. The last one is set so
/// that a past request which is the same outweighs a better fit of words, and one that shares half does not.
const WEIGHTS: [(Reason, f32); 9] = [
    (Reason::Words, 1.0),
    (Reason::Part, 6.0),
    (Reason::Neighbours, 1.0),
    (Reason::Name, 1.0),
    (Reason::Description, 1.0),
    (Reason::Values, 2.0),
    (Reason::Required, -0.8),
    (Reason::LackingNumbers, -2.5),
    (Reason::Taught, 4.0),
];

/// Required parameters beyond this many say nothing more.
const MOST_REQUIRED: usize = 5;
/// So do lacking numbers.
const MOST_LACKING: usize = 2;

/// What a score is made of: each value from 0 to 1, in the order of [`Reason`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reasons([f32; 9]);

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

/// Scores by place, for a whole request and, if there are several, for each of its parts.
pub(super) struct Part {
    pub whole: Vec<f32>,
    pub parts: Vec<Vec<f32>>,
}

/// A request as the tools of one index are compared with it.
pub(super) struct Features<'a> {
    part: &'a Part,
    /// The best score for the whole, and for each part with how much that part counts.
    best: f32,
    best_of_parts: Vec<(f32, f32)>,
    /// By stem, what it counts as a word of the request; and how rare it is where it counts.
    counts: Vec<f32>,
    pairs: HashSet<(u32, u32)>,
    cues: Vec<(u32, f32)>,
    numbers: usize,
    index: &'a Index,
}

impl<'a> Features<'a> {
    pub(super) fn of(request: &Request, part: &'a Part, index: &'a Index) -> Self {
        let most = |scores: &[f32]| scores.iter().copied().fold(0.0_f32, f32::max);
        let best = most(&part.whole);
        // A part of empty phrases has a best tool too, but not one that was asked for.
        let weighed = |scores: &Vec<f32>| {
            let best_here = most(scores);
            (best_here, (2.0 * best_here / best.max(f32::EPSILON)).min(1.0))
        };
        let mut counts = vec![0.0_f32; index.stems()];
        for (number, factor) in request.stems.iter().flat_map(|(stem, _)| index.stand_ins(stem)) {
            counts[number as usize] = counts[number as usize].max(factor);
        }
        let number = |place: usize| request.stems.get(place).and_then(|(stem, _)| index.number(stem));
        let pairs = request.pairs.iter().filter_map(|(one, next)| Some((number(*one)?, number(*next)?))).collect();
        let cues = request.cues.iter().flat_map(|cue| stems(cue, 1)).filter_map(|stem| index.number(&stem));
        Self {
            part,
            best,
            best_of_parts: part.parts.iter().map(weighed).collect(),
            counts,
            pairs,
            cues: cues.map(|cue| (cue, index.idf(cue))).collect(),
            numbers: request.numbers,
            index,
        }
    }

    pub(super) fn of_entry(&self, place: u32, entry: &Entry, taught: f32) -> Reasons {
        let share = |value: f32, of: f32| if of > 0.0 { (value / of).min(1.0) } else { 0.0 };
        let words = share(self.part.whole[place as usize], self.best);
        let parts = self.part.parts.iter().zip(&self.best_of_parts);
        let part = parts.map(|(scores, (best, counts))| share(scores[place as usize], *best) * counts);
        // A request that is of one piece is its own part.
        let part = if self.part.parts.is_empty() { words } else { part.fold(0.0, f32::max) };
        let taken = self.cues.iter().filter(|(cue, _)| entry.parameters.binary_search(cue).is_ok());
        let lacking = entry.required_numbers.saturating_sub(self.numbers).min(MOST_LACKING);
        Reasons([
            words,
            part,
            share(self.neighbours(entry), self.best),
            self.covered(&entry.title),
            self.covered(&entry.description),
            share(taken.map(|(_, idf)| idf * 0.5).sum(), self.best),
            entry.required.min(MOST_REQUIRED) as f32 / MOST_REQUIRED as f32,
            lacking as f32 / MOST_LACKING as f32,
            taught.clamp(0.0, 1.0),
        ])
    }

    /// How much of a text the request says, by how rare its words are.
    fn covered(&self, text: &[u32]) -> f32 {
        let (mut said, mut all) = (0.0, 1.0);
        for stem in text {
            let idf = self.index.idf(*stem);
            said += idf * self.counts[*stem as usize];
            all += idf;
        }
        said / all
    }

    /// How rare the words are that stand beside each other in the request and in the name or description.
    fn neighbours(&self, entry: &Entry) -> f32 {
        let pairs = entry.title.windows(2).chain(entry.description.windows(2)).map(|pair| (pair[0], pair[1]));
        let shared: HashSet<(u32, u32)> = pairs.filter(|pair| self.pairs.contains(pair)).collect();
        let mut weights: Vec<f32> =
            shared.iter().map(|(one, next)| (self.index.idf(*one) + self.index.idf(*next)) / 2.0).collect();
        weights.sort_unstable_by(f32::total_cmp);
        weights.iter().sum()
    }
}
