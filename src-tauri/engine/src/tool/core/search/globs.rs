//! Patterns over paths: one without `/` is about names in all folders, one with `/` about the path from the start.

use std::path::Path;

use globset::{Error, GlobBuilder, GlobSet, GlobSetBuilder};

/// Some patterns, any of which may match.
pub(in crate::tool::core) struct Globs(GlobSet);

impl Globs {
    /// Reads patterns. `./` before one and the workspace's own path before one are understood.
    ///
    /// # Errors
    /// What is wrong with which pattern.
    pub(in crate::tool::core) fn new<'a>(
        patterns: impl IntoIterator<Item = &'a str>,
        root: &Path,
    ) -> Result<Self, Error> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let root = root.to_string_lossy();
            let inside = pattern.strip_prefix(root.as_ref()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(pattern);
            let inside = inside.strip_prefix("./").unwrap_or(inside).trim_end_matches('/');
            let anywhere = if inside.contains('/') { inside.to_owned() } else { format!("**/{inside}") };
            set.add(GlobBuilder::new(&anywhere).literal_separator(true).build()?);
        }
        set.build().map(Self)
    }

    /// Whether a path from the start matches.
    pub(in crate::tool::core) fn matches(&self, path: &Path) -> bool {
        self.0.is_match(path)
    }

    /// Whether the path or a folder above it matches.
    pub(in crate::tool::core) fn covers(&self, path: &Path) -> bool {
        !self.0.is_empty() && path.ancestors().any(|part| !part.as_os_str().is_empty() && self.0.is_match(part))
    }
}
