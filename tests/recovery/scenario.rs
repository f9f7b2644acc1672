//! What a seed stands for: a plan whose effects leave marks, a person, and the moments at which the process dies.
//!
//! Everything here follows from the seed but one thing: a process that dies so many microseconds after a moment dies
//! wherever it then is, which is somewhere else each time.

use serde_json::{Value, json};

/// Appends its text as a line to [`LINES`].
pub const APPEND: &str = "append_line";
/// Adds one to the counter of its text, and cannot be undone: a person has to allow each call, and changes the text.
pub const TELL: &str = "tell";
/// Adds one to the counter of its text, on a server.
pub const COUNT: &str = "count_up";
/// Has an agent append its text as a line.
pub const LEAVER: &str = "run_leaver";
/// The file of the workspace that lines are appended to.
pub const LINES: &str = "lines.txt";

/// A specialist without tools, whose steps go down by another one to the one that leaves marks.
pub const HOUSE: &str = "house";
/// How the person answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Person {
    /// Looks at what has happened before saying that it has.
    Looks,
    /// Has every call of unknown outcome made again.
    Careless,
    /// Never answers.
    Absent,
    /// Says no to all that may be refused.
    Refuses,
    /// Looks, and wants the step of this number done once more when the run is over.
    Retries(u64),
    /// Leaves out every step of which a call has an unknown outcome, and wants the step of this number done once more when
    /// the run is over.
    LeavesOut(u64),
    /// Stops the run after so many moments of a process, and looks at what has happened as long as it goes on.
    Stops(u64),
}

/// What a seed stands for.
pub struct Scenario {
    /// The steps of the plan.
    pub steps: Vec<Value>,
    /// The limits of the plan: in some a branch has so few calls that a person has to let it go on.
    pub limits: Value,
    /// The marks that the effects leave, each once.
    pub marks: Vec<String>,
    /// Who answers.
    pub person: Person,
    /// After so many moments the processes die one after the other, each so many microseconds later; the next lives.
    pub deaths: Vec<(u64, u64)>,
}

/// Numbers that follow from a seed (splitmix64, public domain, Vigna 2015).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// The scenario of a seed; commands only where they can be shut in.
pub fn scenario(seed: u64, commands: bool) -> Scenario {
    let mut numbers = Numbers(seed);
    let mut marks = Vec::new();
    let commands = commands && seed.is_multiple_of(4);
    let steps =
        (0..3 + numbers.below(4)).map(|at| step(at, tools(seed, at, commands, &mut numbers), &mut numbers, &mut marks));
    let goes_down = |at: usize| (seed + at as u64).is_multiple_of(4) || (seed % 3 == 2 && at == 0);
    let steps = steps.enumerate().map(|(at, step)| if goes_down(at) { handed_on(step) } else { step });
    let steps = steps.collect();
    let person = match seed % 10 {
        4 => Person::Careless,
        5 => Person::Absent,
        6 => Person::Refuses,
        7 => Person::Stops(1 + numbers.below(30)),
        8 => Person::Retries(numbers.below(3)),
        9 => Person::LeavesOut(numbers.below(3)),
        _ => Person::Looks,
    };
    let death = |numbers: &mut Numbers| {
        let late = numbers.below(2);
        (1 + numbers.below(45), late * numbers.below(2500))
    };
    let deaths = (0..1 + numbers.below(4)).map(|_| death(&mut numbers)).collect();
    let limits = if seed % 3 == 1 { json!({"branchCalls": 1 + numbers.below(2)}) } else { json!({}) };
    Scenario { steps, limits, marks, person, deaths }
}

/// The mark that a person has left in the place of another.
pub fn changed(mark: &str) -> String {
    mark.replace("mark", "other")
}

/// The same step, given to a specialist that hands it on, where all that it does is to leave marks.
fn handed_on(step: Value) -> Value {
    let required = step["requiredTools"].as_array().map_or(&[][..], Vec::as_slice);
    if required.is_empty() || required.iter().any(|tool| tool != APPEND && tool != COUNT) {
        return step;
    }
    let mut handed_on = step;
    handed_on["executor"] = json!({"kind": "specialist", "id": HOUSE});
    // One leaf has all that is required, so that naming it would lead there at once.
    handed_on["requiredTools"] = json!([]);
    handed_on
}

/// The tools that a step calls, one after the other.
fn tools(seed: u64, at: u64, commands: bool, numbers: &mut Numbers) -> Vec<&'static str> {
    match (seed % 3, at) {
        // A decision, and beside it a call that needs a permission: either may be answered first.
        (0, 0) => return vec![if seed.is_multiple_of(2) { "displayConfirmation" } else { "ask_user" }],
        (0, 1) => return vec![TELL],
        // A call that was allowed comes to a limit.
        (1, 1) => return vec!["read", TELL],
        // A step that is handed on.
        (2, 0) => return vec![COUNT, APPEND],
        _ => {}
    }
    let tool = |numbers: &mut Numbers| match numbers.below(14) {
        0 | 1 => "displayConfirmation",
        2 => "read",
        3 => "ask_user",
        4 | 5 => TELL,
        6..=8 => COUNT,
        9 if commands => "bash",
        10 | 11 => LEAVER,
        _ => APPEND,
    };
    (0..numbers.below(4).min(2)).map(|_| tool(numbers)).collect()
}

/// A step whose description is what the model does: `TOOL MARK, TOOL MARK`. Nothing comes before a permission alone.
fn step(at: u64, tools: Vec<&str>, numbers: &mut Numbers, marks: &mut Vec<String>) -> Value {
    let builds = |numbers: &mut Numbers| numbers.below(3) == 0 && tools != [TELL];
    let dependencies: Vec<String> = (0..at).filter(|_| builds(numbers)).map(|on| format!("s{on}")).collect();
    let mut orders = Vec::new();
    let mut required: Vec<&str> = Vec::new();
    for (call, tool) in tools.into_iter().enumerate() {
        let mark = format!("mark{at}{}", if call == 0 { 'a' } else { 'b' });
        orders.push(format!("{tool} {mark}"));
        if !required.contains(&tool) {
            required.push(tool);
        }
        match tool {
            APPEND | COUNT | LEAVER | "bash" => marks.push(mark),
            TELL => marks.push(changed(&mark)),
            _ => {}
        }
    }
    let (kind, task) =
        if orders.is_empty() { ("reasoning", "reflect".to_owned()) } else { ("tool", orders.join(", ")) };
    json!({"id": format!("s{at}"), "description": task, "stepType": kind, "requiredTools": required,
        "dependencies": dependencies, "executor": {"kind": "self", "id": ""}})
}
