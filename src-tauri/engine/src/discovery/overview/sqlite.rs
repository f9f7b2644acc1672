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

/// `name(column, …)` for each table; nothing when the bytes are no database.
pub(super) fn tables(bytes: &[u8]) -> Option<Vec<String>> {
    if !bytes.starts_with(MAGIC) {
        return None;
    }
    Some(statements(bytes).unwrap_or_default().iter().filter_map(|sql| table(sql)).take(TABLES).collect())
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

/// `name(column, …)` from `CREATE TABLE name (column type, …)`.
fn table(sql: &str) -> Option<String> {
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
    let first_words = parts.filter_map(|part| part.split_whitespace().next());
    let columns: Vec<&str> =
        first_words.filter(|word| !CONSTRAINTS.contains(&word.to_ascii_lowercase().as_str())).map(bare).collect();
    Some(format!("{name}({})", columns.join(", ")))
}

fn bare(name: &str) -> &str {
    name.trim_matches(|letter| matches!(letter, '"' | '`' | '[' | ']' | '\''))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_named_with_its_columns() {
        let sql = "CREATE TABLE \"orders\" (id INTEGER PRIMARY KEY, [customer] TEXT,\n price NUMERIC(10, 2) CHECK (price > 0), \
                   PRIMARY KEY (id), FOREIGN KEY(customer) REFERENCES c(id))";
        assert_eq!(table(sql).as_deref(), Some("orders(id, customer, price)"));
        assert_eq!(table("CREATE INDEX i ON orders(id)"), None);
        assert_eq!(table("CREATE TABLE sqlite_sequence(name,seq)"), None);
        assert_eq!(table("create table x)("), None);
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
