//! A text that no log, event or error may show.

use std::fmt;
use std::sync::Arc;

/// A key. It can be used, but not printed: `Debug` and `Display` show a placeholder, and there is no `Serialize`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

const PLACEHOLDER: &str = "[secret]";

impl Secret {
    /// Takes a text in; white space around it, as pasting leaves it, is dropped.
    pub fn new(text: &str) -> Self {
        Self(Arc::from(text.trim()))
    }

    /// The text itself, for the one header that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A foreign text without this secret: endpoints like to repeat a refused key in their error.
    pub fn redact(&self, text: &str) -> String {
        if self.is_empty() { text.to_owned() } else { text.replace(&*self.0, PLACEHOLDER) }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(PLACEHOLDER)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(PLACEHOLDER)
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_is_never_printed_and_is_cut_out_of_foreign_texts() {
        let secret = Secret::new(" sk-12345\n");
        assert_eq!(secret.expose(), "sk-12345");
        assert_eq!(format!("{secret} {secret:?} {:?}", Some(&secret)), "[secret] [secret] Some([secret])");
        assert_eq!(secret.redact("Incorrect API key: sk-12345."), "Incorrect API key: [secret].");
        assert_eq!(Secret::new("").redact("unchanged"), "unchanged");
    }
}
