//! A folder of files as a site.

use std::path::{Component, Path, PathBuf};

use super::Answer;

/// Answers with the files of a folder; a folder in it by its `index.html`.
pub fn of(folder: PathBuf) -> impl Fn(&str) -> Answer + Send + Sync + 'static {
    move |path| {
        let path = path.split('?').next().unwrap_or_default().trim_start_matches('/');
        let inside = Path::new(path);
        if inside.components().any(|part| !matches!(part, Component::Normal(_))) {
            return Answer::missing();
        }
        let mut file = folder.join(inside);
        if file.is_dir() {
            file = file.join("index.html");
        }
        let kind = match file.extension().and_then(|ending| ending.to_str()) {
            Some("html" | "htm") => "text/html",
            Some("css") => "text/css",
            Some("js") => "text/javascript",
            Some("json") => "application/json",
            Some("txt") => "text/plain",
            _ => "application/octet-stream",
        };
        std::fs::read(file).map_or_else(|_| Answer::missing(), |body| Answer::of(kind, body))
    }
}
