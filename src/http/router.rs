//! The router: finds the target of a method and a path. Paths are compared as sent, not normalised.
//! A target is any type; this file must not know what it is.

use std::collections::HashMap;

use super::{Method, percent};

/// Targets by method and path pattern, such as `/account/export/{job_id}`.
pub struct Router<T> {
    literals: HashMap<&'static str, Methods<T>>,
    /// Patterns with parameters; more literal ones come first.
    patterns: Vec<(Pattern, Methods<T>)>,
}

pub enum Match<'a, T> {
    Found {
        target: &'a T,
        params: Params,
    },
    /// The path exists, but not for this method.
    MethodNotAllowed {
        allow: Vec<Method>,
    },
    Unknown,
}

/// The values of a pattern's parameters in the path's order, percent-decoded.
pub type Params = Vec<String>;

impl<T> Router<T> {
    /// # Panics
    ///
    /// When two routes are equal: the route table is wrong and the service must not start.
    pub fn new(routes: impl IntoIterator<Item = (Method, &'static str, T)>) -> Self {
        let mut literals: HashMap<_, Methods<T>> = HashMap::new();
        let mut patterns: Vec<(Pattern, Methods<T>)> = Vec::new();
        for (method, path, target) in routes {
            if !path.contains('{') {
                literals.entry(path).or_default().add(method, path, target);
                continue;
            }
            let pattern = Pattern::of(path);
            match patterns
                .iter_mut()
                .find(|(existing, _)| *existing == pattern)
            {
                Some((_, methods)) => methods.add(method, path, target),
                None => {
                    let mut methods = Methods::default();
                    methods.add(method, path, target);
                    patterns.push((pattern, methods));
                }
            }
        }
        patterns.sort_by_key(|(pattern, _)| pattern.rank());
        Self { literals, patterns }
    }

    /// Finds the target. HEAD uses the target of GET. A path written literally in the table is
    /// never read as another pattern's parameter.
    pub fn find(&self, method: &Method, path: &str) -> Match<'_, T> {
        let mut allow = Vec::new();
        if let Some(methods) = self.literals.get(path) {
            let params = Params::new();
            return match methods.find(method) {
                Some(target) => Match::Found { target, params },
                None => Match::MethodNotAllowed {
                    allow: methods.allow(),
                },
            };
        }
        for (pattern, methods) in &self.patterns {
            let Some(params) = pattern.matches(path) else {
                continue;
            };
            if let Some(target) = methods.find(method) {
                return Match::Found { target, params };
            }
            methods.list(&mut allow);
        }
        if allow.is_empty() {
            Match::Unknown
        } else {
            Match::MethodNotAllowed { allow }
        }
    }
}

struct Methods<T>(Vec<(Method, T)>);

impl<T> Default for Methods<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Methods<T> {
    fn add(&mut self, method: Method, path: &str, target: T) {
        let duplicate = self.0.iter().any(|(existing, _)| *existing == method);
        assert!(!duplicate, "the route {method} {path} is a duplicate");
        self.0.push((method, target));
    }

    fn find(&self, method: &Method) -> Option<&T> {
        let exact = |method: &Method| self.0.iter().find(|(existing, _)| existing == method);
        let found = exact(method).or_else(|| {
            let head = method == Method::HEAD;
            head.then(|| exact(&Method::GET)).flatten()
        });
        found.map(|(_, target)| target)
    }

    fn allow(&self) -> Vec<Method> {
        let mut allow = Vec::new();
        self.list(&mut allow);
        allow
    }

    fn list(&self, allow: &mut Vec<Method>) {
        for (method, _) in &self.0 {
            let implied = (*method == Method::GET).then_some(Method::HEAD);
            for method in [Some(method.clone()), implied].into_iter().flatten() {
                if !allow.contains(&method) {
                    allow.push(method);
                }
            }
        }
    }
}

#[derive(PartialEq, Eq)]
struct Pattern {
    /// The path before the first parameter, which rules out most patterns.
    start: &'static str,
    segments: Vec<Segment>,
}

#[derive(PartialEq, Eq)]
enum Segment {
    Literal(&'static str),
    Param,
}

impl Pattern {
    fn of(path: &'static str) -> Self {
        let segment = |text: &'static str| match text.starts_with('{') {
            true => Segment::Param,
            false => Segment::Literal(text),
        };
        let (start, _) = path.split_once('{').unwrap_or((path, ""));
        Self {
            start,
            segments: path.split('/').map(segment).collect(),
        }
    }

    /// Sort key: patterns with literal segments come before those with parameters, from the left.
    fn rank(&self) -> Vec<bool> {
        let is_param = |segment: &Segment| matches!(segment, Segment::Param);
        self.segments.iter().map(is_param).collect()
    }

    fn matches(&self, path: &str) -> Option<Params> {
        if !path.starts_with(self.start) {
            return None;
        }
        let mut segments = path.split('/');
        let mut params = Vec::new();
        for segment in &self.segments {
            let text = segments.next()?;
            match segment {
                Segment::Literal(literals) if *literals == text => {}
                Segment::Param if !text.is_empty() => {
                    params.push(percent::decode(text)?.into_owned());
                }
                _ => return None,
            }
        }
        segments.next().is_none().then_some(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router() -> Router<&'static str> {
        Router::new([
            (Method::GET, "/health", "health"),
            (Method::POST, "/jobs", "create"),
            (Method::GET, "/jobs", "list"),
            (Method::GET, "/jobs/{id}", "show"),
            (Method::DELETE, "/jobs/{id}", "delete"),
            (Method::GET, "/jobs/latest", "latest"),
            (Method::GET, "/{kind}/x/y", "by kind"),
            (Method::GET, "/jobs/{id}/y", "job y"),
        ])
    }

    #[test]
    fn finds_targets_and_parameters() {
        let router = router();
        let cases = [
            (Method::GET, "/health", Some(("health", None))),
            (Method::HEAD, "/health", Some(("health", None))),
            (Method::GET, "/jobs/7", Some(("show", Some("7")))),
            (Method::GET, "/jobs/latest", Some(("latest", None))),
            (Method::GET, "/jobs/a%2fb%2E", Some(("show", Some("a/b.")))),
            (Method::GET, "/jobs/x/y", Some(("job y", Some("x")))),
            (Method::GET, "/other/x/y", Some(("by kind", Some("other")))),
            (Method::GET, "/health/", None),
            (Method::GET, "//health", None),
            (Method::GET, "/healt%68", None),
            (Method::GET, "/./health", None),
            (Method::GET, "/HEALTH", None),
            (Method::GET, "/jobs/", None),
            (Method::GET, "/jobs//y", None),
            (Method::GET, "/jobs/%ff", None),
            (Method::GET, "/jobs/a%00", None),
            (Method::GET, "/jobs/7/", None),
            (Method::GET, "*", None),
            (Method::GET, "", None),
        ];
        for (method, path, expected) in cases {
            match (router.find(&method, path), expected) {
                (Match::Found { target, params }, Some((name, id))) => {
                    assert_eq!(
                        (*target, params.first().map(String::as_str)),
                        (name, id),
                        "{path}"
                    );
                }
                (Match::Unknown, None) => {}
                _ => panic!("{method} {path} leads elsewhere"),
            }
        }
    }

    #[test]
    fn an_unsupported_method_gets_the_supported_ones() {
        let router = router();
        let cases = [
            ("/jobs", vec![Method::POST, Method::GET, Method::HEAD]),
            ("/jobs/7", vec![Method::GET, Method::HEAD, Method::DELETE]),
            ("/jobs/latest", vec![Method::GET, Method::HEAD]),
        ];
        for (path, expected) in cases {
            let Match::MethodNotAllowed { allow } = router.find(&Method::PATCH, path) else {
                panic!("{path} takes PATCH");
            };
            assert_eq!(allow, expected);
        }
    }

    #[test]
    #[should_panic(expected = "is a duplicate")]
    fn duplicate_routes_are_refused() {
        Router::new([(Method::GET, "/a", 1), (Method::GET, "/a", 2)]);
    }
}
