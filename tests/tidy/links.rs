//! The links of Markdown files.

use std::path::{Component, Path, PathBuf};

use super::{assert_none, source};

/// Every link to a file or a heading in it leads somewhere, where the page is read as a file.
#[test]
fn links_of_pages_resolve() {
    let mut pages = vec![
        PathBuf::from("README.md"),
        PathBuf::from("examples/deploy/README.md"),
    ];
    for entry in std::fs::read_dir("src/guide").expect("the guide") {
        pages.push(entry.expect("a page").path());
    }
    let (mut count, mut breaches) = (0, Vec::new());
    for page in &pages {
        let text = source::read(&page.to_string_lossy());
        for target in targets(&text) {
            count += 1;
            if !resolves(page, target) {
                breaches.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(count > 100, "only {count} links were found");
    assert_none("A link leads somewhere.", breaches);
}

/// The targets of links, but for those to other servers.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).map(|after| {
        let end = after.find(')').unwrap_or(after.len());
        &after[..end]
    });
    targets.filter(|target| !target.contains("://"))
}

fn resolves(page: &Path, target: &str) -> bool {
    let (file, anchor) = match target.split_once('#') {
        Some((file, anchor)) => (file, Some(anchor)),
        None => (target, None),
    };
    let path = match file {
        "" => page.to_owned(),
        file => plain(&page.with_file_name(file)),
    };
    path.exists()
        && anchor.is_none_or(|anchor| {
            let text = source::read(&path.to_string_lossy());
            anchors(&text).any(|known| known == anchor)
        })
}

/// Without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// The anchors of a page's headings, as both rustdoc and GitHub make them.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let mut is_code = false;
    let headings = text.lines().filter(move |line| {
        is_code ^= line.starts_with("```");
        !is_code && line.starts_with('#')
    });
    headings.map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.replace(' ', "-");
        kept.chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
            .collect()
    })
}
