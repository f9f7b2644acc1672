//! How well messages that resemble a saved one are told from those that do not: on the set that the threshold was set on,
//! and on one that was not looked at for that.

use serde::Deserialize;

use super::resemble::{RESEMBLES, Topics, Weights};
use crate::planner::Library;

#[derive(Deserialize)]
struct Set {
    saved: Vec<Kept>,
    unlike: Vec<String>,
}

#[derive(Deserialize)]
struct Kept {
    message: String,
    title: String,
    like: Vec<String>,
}

/// What came of a set.
#[derive(Debug, Default)]
struct Outcome {
    /// Messages that resemble a saved one: all of them, those for which it came first, and those that were offered nothing.
    alike: usize,
    right: usize,
    missed: Vec<(String, f32)>,
    /// Messages that resemble none: all of them, and those that were offered something.
    unlike: usize,
    wrong: Vec<(String, f32)>,
}

fn measured(text: &str) -> Outcome {
    let set: Set = serde_json::from_str(text).unwrap();
    let background: Vec<Topics> =
        Library::shipped().unwrap().examples().iter().map(|example| Topics::of(&example.message)).collect();
    let kept: Vec<[Topics; 2]> =
        set.saved.iter().map(|one| [Topics::of(&one.message), Topics::of(&one.title)]).collect();
    let weights = Weights::of(background.iter().chain(kept.iter().map(|[message, _]| message)));
    let best = |message: &str| -> (usize, f32) {
        let wanted = Topics::of(message);
        let likeness =
            |topics: &[Topics; 2]| topics.iter().map(|one| weights.likeness(&wanted, one)).fold(0.0, f32::max);
        let scores = kept.iter().map(likeness).enumerate();
        scores.max_by(|(_, one), (_, other)| one.total_cmp(other)).unwrap()
    };
    let mut outcome = Outcome::default();
    for (at, one) in set.saved.iter().enumerate() {
        for message in &one.like {
            let (found, likeness) = best(message);
            outcome.alike += 1;
            if found == at && likeness >= RESEMBLES {
                outcome.right += 1;
            } else {
                outcome.missed.push((message.clone(), likeness));
            }
        }
    }
    for message in &set.unlike {
        let (_, likeness) = best(message);
        outcome.unlike += 1;
        if likeness >= RESEMBLES {
            outcome.wrong.push((message.clone(), likeness));
        }
    }
    outcome
}

// 31 of 33 and 30 of 30 were offered the right plan when this was written, and none of the 80 others anything.
#[test]
fn messages_that_resemble_a_saved_one_are_told_from_others() {
    for (name, text, least) in
        [("set", include_str!("messages/set.json"), 30), ("held", include_str!("messages/held.json"), 28)]
    {
        let outcome = measured(text);
        assert_eq!(outcome.unlike, 40, "{name}");
        assert_eq!(outcome.wrong, [], "{name}: offered something for what resembles nothing");
        assert!(outcome.alike >= 30 && outcome.right >= least, "{name}: {outcome:#?}");
    }
}

#[test]
fn one_common_word_is_no_resemblance_and_values_are_no_words() {
    let weights = Weights::of([].into_iter());
    let likeness = |one: &str, other: &str| weights.likeness(&Topics::of(one), &Topics::of(other));
    assert_eq!(likeness("", ""), 0.0);
    assert_eq!(likeness("Translate the letter", "Translate this book for children please"), 0.0);
    assert!(likeness("Count words of a.txt", "Count words of other.txt") > 0.999);
    assert!(likeness("Count words of notes/plan.txt", "Make notes and a plan as txt") < RESEMBLES);
    assert_eq!(likeness("the of and", "the of and"), 0.0);
}
