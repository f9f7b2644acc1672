//! The tables of an SQLite database, read from the first page of its file without opening it.
//!
//! Source: the SQLite file format (sqlite.org/fileformat2.html): a schema that fits on the first page, which is what
//! small databases have; of a larger one nothing is said.

const MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER: usize = 100;
const LEAF_TABLE: u8 = 0x0d;
/// More tables are not listed.
const TABLES: usize = 12;
/// Words that begin a constraint and no column.
const CONSTRAINTS: &[&str] = &["constraint", "primary", "unique", "foreign", "check"];

/// A table with its columns and, where a column is the key of another table's row, that table's column.
struct Table<'a> {
    name: &'a str,
    columns: Vec<(&'a str, Option<String>)>,
}

/// `name(column, column = other.column, …)` for each table; nothing when the bytes are no database.
pub(super) fn tables(bytes: &[u8]) -> Option<Vec<String>> {
    if !bytes.starts_with(MAGIC) {
        return None;
    }
    let sql = statements(bytes).unwrap_or_default();
    let tables: Vec<Table<'_>> = sql.iter().filter_map(|sql| table(sql)).take(TABLES).collect();
    Some(tables.iter().map(|table| described(table, &tables)).collect())
}

/// A table on one line. Small models join tables when they are told by what.
fn described(table: &Table<'_>, all: &[Table<'_>]) -> String {
    let columns = table.columns.iter().map(|(column, declared)| {
        let other = declared.clone().or_else(|| named_after(column, table.name, all));
        other.map_or_else(|| (*column).to_owned(), |other| format!("{column} = {other}"))
    });
    format!("{}({})", table.name, columns.collect::<Vec<_>>().join(", "))
}

/// The key that a column is named after: `customer_id` is the `id` of `customer` or `customers`.
fn named_after(column: &str, own: &str, all: &[Table<'_>]) -> Option<String> {
    let lower = column.to_ascii_lowercase();
    let stem = lower.strip_suffix("_id").filter(|stem| !stem.is_empty())?;
    let other = all.iter().find(|table| {
        let name = table.name.to_ascii_lowercase();
        table.name != own && (name == stem || [format!("{stem}s"), format!("{stem}es")].contains(&name))
    })?;
    let key = other.columns.iter().map(|(key, _)| *key).find(|key| key.eq_ignore_ascii_case("id") || *key == column)?;
    Some(format!("{}.{key}", other.name))
}

/// The SQL of everything in the schema.
fn statements(bytes: &[u8]) -> Option<Vec<String>> {
    if *bytes.get(HEADER)? != LEAF_TABLE {
        return None;
    }
    let count = number(bytes, HEADER + 3)?;
    let cells = (0..count).map_while(|at| number(bytes, HEADER + 8 + 2 * at));
    Some(cells.filter_map(|cell| statement(bytes, cell)).collect())
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?])))
}

/// The last of the five columns (type, name, tbl_name, rootpage, sql) of a row of the schema.
fn statement(bytes: &[u8], cell: usize) -> Option<String> {
    let (_, after) = varint(bytes, cell)?;
    let (_, payload) = varint(bytes, after)?;
    let (header, mut at) = varint(bytes, payload)?;
    let mut start = payload.checked_add(header)?;
    for _ in 0..4 {
        let (kind, next) = varint(bytes, at)?;
        start = start.checked_add(size(kind))?;
        at = next;
    }
    let (kind, _) = varint(bytes, at)?;
    let text = bytes.get(start..start.checked_add(size(kind))?)?;
    std::str::from_utf8(text).ok().map(str::to_owned)
}

/// The bytes of a value by its serial type.
fn size(kind: usize) -> usize {
    match kind {
        0 | 8 | 9 => 0,
        1..=4 => kind,
        5 => 6,
        6 | 7 => 8,
        _ => kind.saturating_sub(12) / 2,
    }
}

fn varint(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for _ in 0..8 {
        let byte = *bytes.get(at)?;
        at += 1;
        value = value.checked_shl(7)? | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at));
        }
    }
    None
}

/// A table from `CREATE TABLE name (column type, …)`.
fn table(sql: &str) -> Option<Table<'_>> {
    let rest = sql.get(..12).filter(|start| start.eq_ignore_ascii_case("create table")).and(sql.get(12..))?;
    let open = rest.find('(')?;
    let name = bare(rest[..open].split_whitespace().last()?);
    if name.starts_with("sqlite_") {
        return None;
    }
    let inside = rest.get(open + 1..rest.rfind(')')?)?;
    let mut depth = 0_usize;
    let parts = inside.split(|letter: char| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    });
    let mut columns: Vec<(&str, Option<String>)> = Vec::new();
    for part in parts {
        let Some(first) = part.split_whitespace().next() else { continue };
        let word = first.split('(').next().unwrap_or(first).to_ascii_lowercase();
        if !CONSTRAINTS.contains(&word.as_str()) {
            columns.push((bare(first), referenced(part)));
        } else if word == "foreign"
            && let Some(own) = in_brackets(part)
        {
            let other = referenced(part);
            columns.iter_mut().filter(|(column, _)| *column == own).for_each(|(_, key)| key.clone_from(&other));
        }
    }
    Some(Table { name, columns })
}

/// `table.column` of `… REFERENCES table(column)`.
fn referenced(definition: &str) -> Option<String> {
    let at = definition.to_ascii_lowercase().find("references ")?;
    let rest = definition.get(at + "references ".len()..)?;
    let name = bare(rest.split(['(', ' ', ',']).find(|word| !word.is_empty())?);
    in_brackets(rest).map(|column| format!("{name}.{column}"))
}

/// The one name in the first brackets.
fn in_brackets(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('(')?;
    let (inside, _) = rest.split_once(')')?;
    (!inside.contains(',')).then(|| bare(inside.trim()))
}

fn bare(name: &str) -> &str {
    name.trim_matches(|letter| matches!(letter, '"' | '`' | '[' | ']' | '\''))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(sql: &str) -> Option<String> {
        table(sql).map(|table| described(&table, &[]))
    }

    #[test]
    fn a_table_is_named_with_its_columns() {
        let sql = "CREATE TABLE \"orders\" (id INTEGER PRIMARY KEY, [customer] TEXT,\n price NUMERIC(10, 2) CHECK (price > 0), \
                   buyer INTEGER REFERENCES \"people\"(\"id\"), PRIMARY KEY (id), FOREIGN KEY(customer) REFERENCES c(id))";
        let expected = "orders(id, customer = c.id, price, buyer = people.id)";
        assert_eq!(line(sql).as_deref(), Some(expected));
        assert_eq!(line("CREATE INDEX i ON orders(id)"), None);
        assert_eq!(line("CREATE TABLE sqlite_sequence(name,seq)"), None);
        assert_eq!(line("create table x)("), None);
        assert_eq!(line("create table x(a references y, b references , c references ("), None);
    }

    #[test]
    fn a_column_named_after_another_table_is_its_key() {
        let sql = [
            "create table lessons (id integer, teacher_id integer, room_id integer, lessons_id integer, _id integer)",
            "create table teachers (id integer, name text)",
            "create table room (room_id integer)",
        ];
        let tables: Vec<Table<'_>> = sql.iter().filter_map(|sql| table(sql)).collect();
        let expected = "lessons(id, teacher_id = teachers.id, room_id = room.room_id, lessons_id, _id)";
        assert_eq!(described(&tables[0], &tables), expected);
        assert_eq!(described(&tables[2], &tables), "room(room_id)");
    }

    #[test]
    fn damaged_files_are_survived() {
        let mut bytes = MAGIC.to_vec();
        assert_eq!(tables(&bytes), Some(vec![]));
        bytes.resize(HEADER, 0);
        bytes.extend([LEAF_TABLE, 0, 0, 0xff, 0xff, 0, 0, 0]);
        for fill in [0x00, 0x7f, 0x80, 0xff] {
            let mut hostile = bytes.clone();
            hostile.resize(4096, fill);
            assert_eq!(tables(&hostile).map(|found| found.len()), Some(0));
        }
        assert_eq!(tables(b"plain text"), None);
    }
}
