//! What the registry of specialists costs with 10,000 tools.
//!
//! `cargo run --release -p assent-core --example bench-heap`: building it; the options of every node on a path; a search
//! from the top; a route of ten delegators and ten steps with required tools brought to leaves, by a chooser that
//! answers at once. Medians in milliseconds, as one JSON object.

use std::hint::black_box;
use std::io::Write as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use assent_core::heap::{
    Caps, Chooser, Choosing, Question, Registry, Search, SpecialistSpec, build, expand_step, expand_to_leaves,
    search_heap_path,
};
use assent_core::plan::RouteStep;

const TOOLS: usize = 10_000;
const SPECIALISTS: usize = 8;
const STEPS: usize = 10;
const RUNS: usize = 31;

fn main() -> std::io::Result<()> {
    let specs = specs();
    let (registry, faults) = build(&specs, Caps::default());
    assert!(faults.is_empty(), "{faults:?}");
    let below: usize = registry.top_level_ids().iter().map(|id| registry.tools_below(id).count()).sum();
    assert_eq!(below, TOOLS, "no tool is lost");
    let route: Vec<RouteStep> = (0..STEPS).map(|at| RouteStep::One(format!("s{}", at % SPECIALISTS))).collect();
    let search = Search::to(Caps::default().depth + 1);
    let build = median(|| {
        black_box(build(black_box(&specs), Caps::default()));
    });
    let options = median(|| {
        for id in registry.top_level_ids() {
            black_box(registry.options_at_node(Some(id), None));
        }
    });
    let searched = median(|| {
        black_box(now(search_heap_path(&registry, "the task", search, &First)));
    });
    let expanded = median(|| {
        let expansion = now(expand_to_leaves(&route, &registry, "the task", &First, 5));
        assert_eq!(expansion.route.len(), STEPS);
        black_box(expansion);
    });
    let required = median(|| black_box(by_tools(&registry)));
    let known = median(|| {
        black_box(registry.known_specialists());
    });
    let figures = format!(
        "{{\"tools\": {TOOLS}, \"entries\": {}, \"buildMs\": {build:.4}, \"optionsMs\": {options:.4}, \"searchMs\": {searched:.4}, \
         \"expansionMs\": {expanded:.4}, \"expansionByToolsMs\": {required:.4}, \"knownMs\": {known:.4}}}",
        registry.specialists().count()
    );
    writeln!(std::io::stdout(), "{figures}")
}

/// Specialists with as many tools each, every one of which is in a group.
fn specs() -> Vec<SpecialistSpec> {
    let spec = |at: usize| SpecialistSpec {
        id: format!("s{at}"),
        description: format!("does what is the {at}th thing"),
        tool_names: (0..TOOLS / SPECIALISTS).map(|tool| format!("s{at}.tool_{tool}")).collect(),
        shared_tools: vec!["ask_user".to_owned()],
        top_level: true,
        ..SpecialistSpec::default()
    };
    let mut specs: Vec<SpecialistSpec> = (0..SPECIALISTS).map(spec).collect();
    for spec in &mut specs {
        // The tool that all share is one of the ten thousand.
        spec.tool_names.pop();
    }
    specs
}

/// Ten steps whose required tool one leaf has: nobody is asked.
fn by_tools(registry: &Registry) -> usize {
    let mut calls = 0;
    for at in 0..STEPS {
        let root = format!("s{}", at % SPECIALISTS);
        let required = [format!("{root}.tool_{}", 900 + at)];
        let found = now(expand_step(registry, &root, &required, "the task", &First, 5));
        calls += found.map_or(1, |found| found.calls);
    }
    assert_eq!(calls, 0, "a tool that one leaf has costs no call");
    calls
}

/// Answers at once.
struct First;

impl Chooser for First {
    fn choose(&self, question: Question) -> Choosing<'_> {
        let first = question.options.into_iter().take(1).map(|option| option.id).collect();
        Box::pin(std::future::ready(Ok(first)))
    }
}

fn median<T>(mut work: impl FnMut() -> T) -> f64 {
    let mut spent: Vec<f64> = (0..RUNS)
        .map(|_| {
            let clock = Instant::now();
            work();
            clock.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    spent.sort_by(f64::total_cmp);
    spent[RUNS / 2]
}

fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("the chooser answers at once"),
    }
}
