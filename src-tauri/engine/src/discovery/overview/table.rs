//! The columns of a table in a text file: their names where the first line reads like names, else only their number.

/// More columns are not named.
const COLUMNS: usize = 30;
/// Characters of a name.
const NAME: usize = 40;
/// Rows below the first that are looked at.
const ROWS: usize = 20;

/// `columns: a, b, c`, or `3 columns`; nothing for an empty file.
pub(super) fn shape(text: &str, usual: char) -> Option<String> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next()?;
    let signs = [usual, ';', '\t', '|'];
    let sign = signs.into_iter().find(|sign| first.contains(*sign)).unwrap_or(usual);
    let names = cells(first, sign);
    let rows: Vec<Vec<&str>> = lines.take(ROWS).map(|line| cells(line, sign)).collect();
    if !are_names(&names, &rows) {
        return Some(format!("{} columns", names.len()));
    }
    let more = if names.len() > COLUMNS { format!(", … {} in all", names.len()) } else { String::new() };
    Some(format!("columns: {}{more}", names[..names.len().min(COLUMNS)].join(", ")))
}

/// Names and values cannot be told apart with certainty. Names are believed where they are written as those of a
/// program, or stand over numbers; else a row might be given away.
fn are_names(first: &[&str], rows: &[Vec<&str>]) -> bool {
    let reads_like_one = |cell: &&str| {
        cell.starts_with(|sign: char| sign.is_alphabetic() || sign == '_')
            && cell.chars().count() <= NAME
            && cell.chars().all(|sign| sign.is_alphanumeric() || " _-.()/%#€$".contains(sign))
    };
    let distinct = first.iter().enumerate().all(|(at, cell)| !first[..at].contains(cell));
    let of_a_program =
        |cell: &&str| cell.starts_with(|sign: char| sign.is_lowercase() || sign == '_') && !cell.contains(' ');
    let number = |cell: &&str| cell.parse::<f64>().is_ok();
    let over_numbers =
        || (0..first.len()).any(|at| !rows.is_empty() && rows.iter().all(|row| row.get(at).is_some_and(number)));
    distinct && first.iter().all(reads_like_one) && (first.iter().all(of_a_program) || over_numbers())
}

fn cells(line: &str, sign: char) -> Vec<&str> {
    line.split(sign).map(|cell| cell.trim().trim_matches('"')).collect()
}

#[cfg(test)]
mod tests {
    use super::shape;

    #[test]
    fn columns_are_named_where_the_first_line_is_no_row() {
        for (text, expected) in [
            ("region,amount\nnorth,1\n", "columns: region, amount"),
            ("Region;Amount (€)\n\nnorth;1.5\nsouth;2\n", "columns: Region, Amount (€)"),
            ("\"first name\",\"age\"\nAda,36\n", "columns: first name, age"),
            ("Ada,London\nGrace,New York\n", "2 columns"),
            ("Ada,36\nGrace,40\n", "2 columns"),
            ("ada@example.org,x\n", "2 columns"),
            ("a,a\n1,2\n", "2 columns"),
            ("name\n", "columns: name"),
        ] {
            assert_eq!(shape(text, ',').as_deref(), Some(expected), "{text}");
        }
        assert_eq!(shape("\n \n", ','), None);
        let wide = vec!["c"; 40].iter().enumerate().map(|(at, name)| format!("{name}{at}")).collect::<Vec<_>>();
        assert!(shape(&wide.join("\t"), '\t').unwrap().ends_with("c29, … 40 in all"));
    }
}
