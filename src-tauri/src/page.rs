//! The page, as the build packed it into the program.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::DeflateDecoder;
use tauri::utils::assets::{AssetKey, AssetsIter, CspHash};
use tauri::{Assets, Runtime};

/// The files by name, each with its length and what it is compressed to.
const FILES: &[(&str, usize, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Gives the files of the page.
pub(crate) struct Page;

impl<R: Runtime> Assets<R> for Page {
    fn get(&self, key: &AssetKey) -> Option<Cow<'_, [u8]>> {
        let (_, length, packed) = FILES.iter().find(|(name, ..)| *name == key.as_ref())?;
        unpacked(packed, *length).map(Cow::Owned)
    }

    fn iter(&self) -> Box<AssetsIter<'_>> {
        let one = |(name, length, packed): &(&'static str, usize, &'static [u8])| {
            Some((Cow::Borrowed(*name), Cow::Owned(unpacked(packed, *length)?)))
        };
        Box::new(FILES.iter().filter_map(one))
    }

    /// None: no script stands in the page itself.
    fn csp_hashes(&self, _: &AssetKey) -> Box<dyn Iterator<Item = CspHash<'_>> + '_> {
        Box::new(std::iter::empty())
    }
}

/// A file as it was; the build itself has packed it, so that there always is one.
fn unpacked(packed: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut whole = Vec::with_capacity(length);
    DeflateDecoder::new(packed).read_to_end(&mut whole).ok()?;
    Some(whole)
}

#[cfg(test)]
mod tests {
    use tauri::Assets;
    use tauri::test::MockRuntime;
    use tauri::utils::assets::AssetKey;

    use super::{FILES, Page};

    fn read(name: &str) -> Option<Vec<u8>> {
        Assets::<MockRuntime>::get(&Page, &AssetKey::from(name)).map(|file| file.into_owned())
    }

    #[test]
    fn every_file_of_the_page_comes_out_as_it_was_built_and_no_other() {
        let built = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/dist");
        assert!(FILES.iter().any(|(name, ..)| *name == "/index.html"));
        for (name, ..) in FILES {
            assert_eq!(read(name), std::fs::read(built.join(&name[1..])).ok(), "{name}");
        }
        assert_eq!(Assets::<MockRuntime>::iter(&Page).count(), FILES.len());
        assert_eq!((read("/"), read("/nothing.js"), read("/../Cargo.toml")), (None, None, None));
    }

    #[test]
    fn no_script_and_no_style_stands_in_the_page_itself_for_the_policy_would_stop_it() {
        let page = String::from_utf8(read("/index.html").unwrap()).unwrap();
        for tag in page.split('<').filter(|tag| tag.starts_with("script") || tag.starts_with("style")) {
            assert!(tag.contains(" src=") && tag.trim_end().ends_with('>'), "{tag}");
        }
    }
}
