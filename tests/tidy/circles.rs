//! Files that import each other in a circle. What a file re-exports counts as imported from the
//! file that defines it. A file and those in its folder may import each other, so a circle that
//! closes only through such a pair isn't found.

use std::collections::{BTreeMap, BTreeSet};

use super::source::File;

/// Below `src`.
type Module = Vec<String>;
type Imports = BTreeMap<Module, BTreeSet<Module>>;

/// Re-exports of re-exports that are followed.
const REEXPORTS_MAX: usize = 4;

/// The imports between files that are part of a circle.
pub(crate) fn circles(files: &[File]) -> Vec<String> {
    circular(&imports(files))
}

/// The imports between the parts of a folder (its files, each with its own folder) that are part of
/// a circle.
pub(crate) fn circles_of_parts(files: &[File], folder: &str) -> Vec<String> {
    let part_of = |module: &Module| module.get(..2).map(<[String]>::to_vec);
    let mut parts = Imports::new();
    for (module, named) in imports(files) {
        let Some(part) = part_of(&module).filter(|part| part[0] == folder) else {
            continue;
        };
        let named = named.iter().filter_map(part_of);
        let others = named.filter(|other| other[0] == folder && *other != part);
        parts.entry(part.clone()).or_default().extend(others);
    }
    circular(&parts)
}

fn imports(files: &[File]) -> Imports {
    let uses: BTreeMap<Module, Uses> = files
        .iter()
        .map(|file| (module_of(&file.path), Uses::read(&file.code)))
        .collect();
    uses.iter()
        .map(|(module, own)| {
            let named = own.paths.iter();
            let mut named: BTreeSet<Module> = named
                .filter_map(|path| resolve(module, path, &uses, 0))
                .collect();
            named.retain(|other| !other.starts_with(module) && !module.starts_with(other));
            (module.clone(), named)
        })
        .collect()
}

fn circular(imports: &Imports) -> Vec<String> {
    let mut breaches = Vec::new();
    for (module, named) in imports {
        let circular = named.iter().filter(|other| reaches(other, module, imports));
        breaches
            .extend(circular.map(|other| format!("{} -> {}", module.join("/"), other.join("/"))));
    }
    breaches
}

fn module_of(path: &str) -> Module {
    let path = path.trim_start_matches("src/").trim_end_matches(".rs");
    path.split('/').map(str::to_owned).collect()
}

/// The paths that a file names.
#[derive(Default)]
struct Uses {
    paths: Vec<String>,
    reexports: Vec<String>,
}

impl Uses {
    fn read(code: &str) -> Self {
        let mut uses = Self::default();
        let mut lines = code.lines();
        while let Some(line) = lines.next() {
            let Some((before, tree)) = use_statement(line) else {
                uses.paths.extend(inline_paths(line));
                continue;
            };
            let mut tree = tree.to_owned();
            while !tree.ends_with(';') {
                tree.push_str(lines.next().unwrap_or(";").trim());
            }
            let paths = expand(tree.trim_end_matches(';'));
            if before.starts_with("pub") {
                uses.reexports.extend(paths.clone());
            }
            uses.paths.extend(paths);
        }
        uses
    }
}

/// What stands before `use`, and what after it.
fn use_statement(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (before, tree) = line.split_once("use ")?;
    (before.is_empty() || before.starts_with("pub")).then_some((before, tree))
}

/// Paths from the crate, from here or from above in an expression.
fn inline_paths(line: &str) -> Vec<String> {
    let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let roots = ["crate::", "super::", "self::"];
    words
        .filter(|word| roots.iter().any(|root| word.starts_with(root)))
        .map(str::to_owned)
        .collect()
}

/// `a::{b, c::{d}}` has the paths `a::b` and `a::c::d`.
fn expand(tree: &str) -> Vec<String> {
    let Some((before, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default().trim();
        return Vec::from_iter((!path.is_empty()).then(|| path.to_owned()));
    };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let (mut depth, mut part, mut paths) = (0, String::new(), Vec::new());
    for c in inner.chars().chain([',']) {
        match c {
            ',' if depth == 0 => {
                let parts = expand(&std::mem::take(&mut part));
                paths.extend(parts.iter().map(|path| format!("{}{path}", before.trim())));
                continue;
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        part.push(c);
    }
    paths
}

/// The file that defines what `path` names in `module`; `None`: it is no part of this crate.
fn resolve(
    module: &Module,
    path: &str,
    uses: &BTreeMap<Module, Uses>,
    reexports: usize,
) -> Option<Module> {
    let mut names = path.split("::").peekable();
    let mut full = module.clone();
    match names.peek()? {
        &"crate" => full.clear(),
        &"self" => {}
        &"super" => {
            full.pop();
            names.next();
            while names.next_if_eq(&"super").is_some() {
                full.pop();
            }
        }
        child => {
            full.push((*child).to_owned());
            if !uses.contains_key(&full) {
                return None;
            }
            full.pop();
        }
    }
    let names = names.skip_while(|name| matches!(*name, "crate" | "self"));
    full.extend(names.map(str::to_owned));
    let mut file = full.clone();
    while !file.is_empty() && !uses.contains_key(&file) {
        file.pop();
    }
    let name = full.get(file.len());
    let of_name = |reexport: &&String| reexport.rsplit("::").next() == name.map(String::as_str);
    let reexport = uses.get(&file)?.reexports.iter().find(of_name);
    let reexported = reexport.filter(|_| reexports < REEXPORTS_MAX);
    let reexported = reexported.and_then(|path| resolve(&file, path, uses, reexports + 1));
    Some(reexported.unwrap_or(file))
}

fn reaches(from: &Module, to: &Module, imports: &Imports) -> bool {
    let (mut seen, mut next) = (BTreeSet::from([from]), vec![from]);
    while let Some(module) = next.pop() {
        if module == to {
            return true;
        }
        let named = imports.get(module).into_iter().flatten();
        next.extend(named.filter(|other| seen.insert(other)));
    }
    false
}
