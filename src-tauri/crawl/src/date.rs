//! Days as they stand in pages.

/// The day that a text names, as `2024-05-31`. Where a day and a month could be either (`04/05/2024`), the day comes
/// first, as in most of the world.
pub fn day_of(text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > 80 {
        return None;
    }
    iso(text).or_else(|| written(text)).or_else(|| numbers(text))
}

fn checked(year: u32, month: u32, day: u32) -> Option<String> {
    let is_one = (1970..2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_one.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// `2024-05-31`, also with a time behind it or words around it.
fn iso(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u32>().ok();
    (0..bytes.len().saturating_sub(9)).find_map(|at| {
        let is_dash = |place: usize| matches!(bytes.get(at + place), Some(b'-' | b'/'));
        let is_alone = at == 0 || !bytes.get(at - 1).is_some_and(u8::is_ascii_digit);
        if !is_alone || !is_dash(4) || !is_dash(7) {
            return None;
        }
        checked(number(at, at + 4)?, number(at + 5, at + 7)?, number(at + 8, at + 10)?)
    })
}

/// `31 May 2024`, `May 31st, 2024`, `31. Mai 2024`, `31 de mayo de 2024`, `Fri, 31 May 2024 10:00:00 GMT`.
fn written(text: &str) -> Option<String> {
    // What stands between a day and its month in some languages.
    const BETWEEN: [&str; 5] = ["de", "del", "of", "di", "d"];
    let words: Vec<String> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| !word.is_empty() && !BETWEEN.contains(&word.as_str()))
        .collect();
    let number = |word: &String| {
        let digits: String = word.chars().take_while(char::is_ascii_digit).collect();
        let rest = word.get(digits.len()..).unwrap_or_default();
        matches!(rest, "" | "st" | "nd" | "rd" | "th").then(|| digits.parse::<u32>().ok()).flatten()
    };
    let day_at = |(place, word): (usize, &String)| {
        let month = month(word)?;
        let before = place.checked_sub(1).and_then(|place| words.get(place)).and_then(number);
        let after: Vec<u32> = words.iter().skip(place + 1).map_while(number).take(2).collect();
        match (before, after.as_slice()) {
            (Some(day @ 1..=31), [year, ..]) if *year > 31 => checked(*year, month, day),
            (_, [day @ 1..=31, year]) => checked(*year, month, *day),
            _ => None,
        }
    };
    // The first word that may be a month is often a name.
    words.iter().enumerate().find_map(day_at)
}

/// `31.05.2024`, `31/5/2024`, `5/31/2024`.
fn numbers(text: &str) -> Option<String> {
    let word = text.split_whitespace().find(|word| word.bytes().filter(|byte| b"./-".contains(byte)).count() >= 2)?;
    let parts: Vec<u32> = word
        .trim_end_matches([',', '.', ';'])
        .split(['.', '/', '-'])
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    match parts.as_slice() {
        [month, day, year] if *day > 12 => checked(*year, *month, *day),
        [day, month, year] => checked(*year, *month, *day),
        _ => None,
    }
}

/// The month of a word of one of the languages that most pages are written in: its whole name, or how it is shortened.
fn month(word: &str) -> Option<u32> {
    const NAMES: [&str; 12] = [
        "jan janv ene gen january januar januari janvier janeiro jänner enero gennaio gener",
        "feb febr fev fév fevr févr february februar februari février fevereiro febrero febbraio febrer",
        "mar mär mrz mrt march märz maerz maart mars marts março marzo març maret",
        "apr avr abr april avril abril aprile",
        "may mai mag mei maj mayo maio maggio maig",
        "jun giu june juni juin junho junio giugno juny",
        "jul juil lug july juli juillet julho julio luglio juliol",
        "aug aoû ago august augusti augustus août aout agosto agost agustus",
        "sep sept set sett september septembre setembro septiembre settembre setembre",
        "oct okt ott out october oktober octobre outubro octubre ottobre",
        "nov november novembre novembro noviembre nopember",
        "dec dez déc dic des december dezember décembre decembre dezembro diciembre dicembre desember desembre",
    ];
    let place = NAMES.iter().position(|names| names.split(' ').any(|name| name == word))?;
    u32::try_from(place + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_in_their_usual_forms() {
        for text in [
            "2024-05-31",
            "2024-05-31T10:00:00+02:00",
            "Published: 2024/05/31",
            "31 May 2024",
            "May 31st, 2024",
            "Fri, 31 May 2024 10:00:00 GMT",
            "31. Mai 2024",
            "31 mai 2024",
            "31.05.2024",
            "31/5/2024",
            "5/31/2024",
            "By Martin Ek, 31 May 2024",
            "Marc March, May 31st, 2024",
            "April Janssen on 31 May 2024",
            "31 mag 2024",
            "31 de mayo de 2024",
            "viernes, 31 de mayo del 2024",
            "31 de maio de 2024",
            "31st of May 2024",
            "31 d’maig 2024",
        ] {
            assert_eq!(day_of(text).as_deref(), Some("2024-05-31"), "{text}");
        }
        for text in [
            "",
            "12",
            "May",
            "in 2024",
            "99.99.2024",
            "version 1.2.3",
            "2024-13-40",
            "31 May",
            "31 Mayor 2024",
            "Martin 31, 2024",
            &"2024 ".repeat(40),
        ] {
            assert_eq!(day_of(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_is_too_odd_to_be_looked_at(text: String) {
            drop(day_of(&text));
        }
    }
}
