//! What a template of a pack may be made of: no more than it needs to lay out the values that it is given.
//!
//! The engine of templates bounds how many instructions run and not what one of them makes: `"a" * n`, a list of a list
//! of itself, a filter that pads. So a template is parsed and every construct in it has to be one of those below, none
//! of which can make a value that grows; filters that make a text share one allowance.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use minijinja::machinery::ast::{BinOpKind, CallArg, Compare, Expr, ForLoop, Spanned, Stmt};
use minijinja::machinery::{self, Span};
use minijinja::value::Kwargs;
use minijinja::{Environment, Error, ErrorKind, Value, filters, tests};

use super::templates::{in_json, plain, syntax};
use super::{markdown, templates};

/// Bytes that the filters of one rendering may make, all together.
pub(super) const MOST_MADE: usize = 16 << 20;

/// Instructions of one rendering.
const FUEL: u64 = 2_000_000;

type MakeText = fn(&Value) -> Result<String, Error>;
type Is = fn(&Value) -> bool;

/// Filters that make a text of a value, which is taken from the allowance.
pub(super) const TEXTS: [(&str, MakeText); 6] = [
    ("json", |value| in_json(value, false)),
    ("json_pretty", |value| in_json(value, true)),
    ("lower", |value| Ok(text(value)?.to_lowercase())),
    ("markdown", |value| plain(value).map(|value| markdown::markdown(&value))),
    ("paragraph", |value| Ok(markdown::paragraph(text(value)?))),
    ("trim", |value| Ok(text(value)?.trim().to_owned())),
];

/// The other filters.
const FILTERS: [&str; 9] = ["count", "d", "default", "first", "items", "join", "last", "length", "tojson"];

/// Tests; none of them has arguments.
const TESTS: [(&str, Is); 9] = [
    ("boolean", tests::is_boolean),
    ("defined", tests::is_defined),
    ("iterable", tests::is_iterable),
    ("mapping", tests::is_mapping),
    ("none", tests::is_none),
    ("number", tests::is_number),
    ("sequence", tests::is_sequence),
    ("string", tests::is_string),
    ("undefined", tests::is_undefined),
];

fn filter_names() -> impl Iterator<Item = &'static str> {
    TEXTS.into_iter().map(|(name, _)| name).chain(FILTERS)
}

/// Where a template has something that it may not have: the line, from 1, and what it is.
type Refused = (usize, String);

/// Whether a template is one, and made of nothing but what a pack may use.
///
/// # Errors
/// The first line at which it is not, and why.
pub(super) fn check(source: &str, file: &str) -> Result<(), Refused> {
    match machinery::parse(source, file, syntax()) {
        Ok(template) => statement(&template),
        Err(error) => Err((error.line().unwrap_or(1), templates::reason(&error))),
    }
}

/// An environment with these filters and tests and nothing else, for one rendering.
pub(super) fn environment() -> Environment<'static> {
    let mut environment = Environment::empty();
    templates::settle(&mut environment);
    environment.set_fuel(Some(FUEL));
    let allowance = Allowance::default();
    for (name, make) in TEXTS {
        allowance.text(&mut environment, name, make);
    }
    let of_json = allowance.clone();
    environment.add_filter("tojson", move |value: &Value, options: Kwargs| {
        of_json.taken(templates::to_json(value, &options)?)
    });
    let of_joined = allowance;
    environment.add_filter("join", move |value: &Value, between: Option<String>| {
        of_joined.join(value, between.as_deref().unwrap_or_default())
    });
    add_common(&mut environment);
    environment
}

/// Adds the filters that make nothing, and the tests.
pub(super) fn add_common(environment: &mut Environment<'_>) {
    for name in ["length", "count"] {
        environment.add_filter(name, filters::length);
    }
    for name in ["default", "d"] {
        environment.add_filter(name, filters::default);
    }
    environment.add_filter("first", filters::first);
    environment.add_filter("last", filters::last);
    environment.add_filter("items", filters::items);
    for (name, is) in TESTS {
        environment.add_test(name, move |value: &Value| is(value));
    }
}

/// What the filters of one rendering have made so far.
#[derive(Clone, Default)]
struct Allowance(Arc<AtomicUsize>);

impl Allowance {
    /// Adds a filter that makes a text of a value.
    fn text(&self, environment: &mut Environment<'static>, name: &'static str, make: MakeText) {
        let allowance = self.clone();
        environment.add_filter(name, move |value: &Value| {
            // A text is paid for before it is gone through, or trimming one to nothing would be free.
            allowance.spend(value.as_str().map_or(0, str::len))?;
            allowance.taken(make(value)?)
        });
    }

    fn join(&self, value: &Value, between: &str) -> Result<String, Error> {
        let mut joined = String::new();
        for (at, item) in value.try_iter()?.enumerate() {
            let item = item.to_string();
            self.spend(item.len() + between.len())?;
            if at > 0 {
                joined.push_str(between);
            }
            joined.push_str(&item);
        }
        Ok(joined)
    }

    fn taken(&self, made: String) -> Result<String, Error> {
        self.spend(made.len())?;
        Ok(made)
    }

    fn spend(&self, bytes: usize) -> Result<(), Error> {
        let before = self.0.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > MOST_MADE {
            return Err(Error::new(ErrorKind::WriteFailure, "its filters make too much"));
        }
        Ok(())
    }
}

fn text(value: &Value) -> Result<&str, Error> {
    value.as_str().ok_or_else(|| Error::new(ErrorKind::InvalidOperation, format!("{} is no text", value.kind())))
}

fn statements(all: &[Stmt<'_>]) -> Result<(), Refused> {
    all.iter().try_for_each(statement)
}

fn statement(statement: &Stmt<'_>) -> Result<(), Refused> {
    match statement {
        Stmt::Template(template) => statements(&template.children),
        Stmt::EmitRaw(_) => Ok(()),
        Stmt::EmitExpr(emitted) => expression(&emitted.expr),
        Stmt::IfCond(condition) => {
            expression(&condition.expr)?;
            statements(&condition.true_body)?;
            statements(&condition.false_body)
        }
        Stmt::ForLoop(each) => for_loop(each),
        Stmt::WithBlock(s) => refuse(s.span(), "\"with\""),
        Stmt::Set(s) => refuse(s.span(), "\"set\""),
        Stmt::SetBlock(s) => refuse(s.span(), "\"set\""),
        Stmt::AutoEscape(s) => refuse(s.span(), "\"autoescape\""),
        Stmt::FilterBlock(s) => refuse(s.span(), "\"filter\""),
        Stmt::Block(s) => refuse(s.span(), "\"block\""),
        Stmt::Import(s) => refuse(s.span(), "\"import\""),
        Stmt::FromImport(s) => refuse(s.span(), "\"import\""),
        Stmt::Extends(s) => refuse(s.span(), "\"extends\""),
        Stmt::Include(s) => refuse(s.span(), "\"include\""),
        Stmt::Macro(s) => refuse(s.span(), "\"macro\""),
        Stmt::CallBlock(s) => refuse(s.span(), "\"call\""),
        Stmt::Do(s) => refuse(s.span(), "\"do\""),
    }
}

fn for_loop(each: &Spanned<ForLoop<'_>>) -> Result<(), Refused> {
    if each.recursive {
        return refuse(each.span(), "a recursive loop");
    }
    // The names it gives: one, or several with commas.
    match &each.target {
        Expr::Var(_) => {}
        Expr::Tuple(names) => names.items.iter().try_for_each(expression)?,
        Expr::List(names) => names.items.iter().try_for_each(expression)?,
        other => return refuse(other.span(), other.description()),
    }
    expression(&each.iter)?;
    each.filter_expr.iter().try_for_each(expression)?;
    statements(&each.body)?;
    statements(&each.else_body)
}

fn expression(it: &Expr<'_>) -> Result<(), Refused> {
    match it {
        Expr::Var(_) | Expr::Const(_) => Ok(()),
        Expr::GetAttr(of) => expression(&of.expr),
        Expr::GetItem(of) => {
            expression(&of.expr)?;
            expression(&of.subscript_expr)
        }
        Expr::UnaryOp(of) => expression(&of.expr),
        Expr::BinOp(of) => match of.op {
            BinOpKind::ScAnd | BinOpKind::ScOr => {
                expression(&of.left)?;
                expression(&of.right)
            }
            BinOpKind::Eq | BinOpKind::Ne | BinOpKind::Lt | BinOpKind::Lte | BinOpKind::Gt | BinOpKind::Gte => {
                compared(&of.left, [&of.right], of.span())
            }
            BinOpKind::In => refuse(of.span(), "\"in\""),
            _ => refuse(of.span(), "a sum, a product or \"~\""),
        },
        Expr::Compare(of) => compares(of),
        Expr::IfExpr(of) => {
            expression(&of.test_expr)?;
            expression(&of.true_expr)?;
            of.false_expr.iter().try_for_each(expression)
        }
        Expr::Filter(of) => {
            if !filter_names().any(|name| name == of.name) {
                return refuse(of.span(), &format!("the filter {}", of.name));
            }
            of.expr.iter().try_for_each(expression)?;
            of.args.iter().try_for_each(|argument| match argument {
                CallArg::Pos(value) | CallArg::Kwarg(_, value) => expression(value),
                CallArg::PosSplat(_) | CallArg::KwargSplat(_) => refuse(of.span(), "\"*\""),
            })
        }
        Expr::Test(of) if TESTS.iter().any(|(name, _)| *name == of.name) && of.args.is_empty() => expression(&of.expr),
        Expr::Test(of) => refuse(of.span(), &format!("the test {}", of.name)),
        Expr::Slice(_) => refuse(it.span(), "a slice"),
        Expr::Call(_) | Expr::List(_) | Expr::Tuple(_) | Expr::Map(_) => {
            refuse(it.span(), &format!("a {}", it.description()))
        }
    }
}

fn compares(of: &Spanned<Compare<'_>>) -> Result<(), Refused> {
    use minijinja::machinery::ast::CompareOpKind::{In, NotIn};
    if of.ops.iter().any(|op| matches!(op.op, In | NotIn)) {
        return refuse(of.span(), "\"in\"");
    }
    compared(&of.expr, of.ops.iter().map(|op| &op.expr), of.span())
}

/// To compare two large values costs as much as they are large, and one instruction: one side has to be written out.
fn compared<'a>(left: &'a Expr<'a>, others: impl IntoIterator<Item = &'a Expr<'a>>, span: Span) -> Result<(), Refused> {
    expression(left)?;
    let mut before = left;
    for other in others {
        expression(other)?;
        if !matches!(before, Expr::Const(_)) && !matches!(other, Expr::Const(_)) {
            return refuse(span, "a comparison of two values that are both looked up");
        }
        before = other;
    }
    Ok(())
}

fn refuse(span: Span, what: &str) -> Result<(), Refused> {
    let may = "for, if, elif, else, and, or, not, comparisons with a value that is written out";
    let reason = format!(
        "a pack's template cannot use {what}: it has {may}, and the filters {}",
        filter_names().collect::<Vec<_>>().join(", ")
    );
    Err((usize::from(span.start_line).max(1), reason))
}
