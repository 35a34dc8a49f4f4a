//! Tables of routes: each path of an API is written once, with its methods and what it means.
//!
//! *Knows*: how a path is matched with patterns, and which methods a path has. *Must not know*: any API.
//!
//! A pattern is a path without outer slashes. Its segments are words (`plans`), one of several words (`state|state.json`), or names in
//! braces for one segment (`{plan}`), for one of several words (`{op:down|up}`), or for one segment and all further ones that nothing after
//! it takes (`{id...}`). Text after the braces ends the last of these: `{id...}::status`. A last `...` takes whatever follows, as
//! libprocess does. The first pattern that fits has the path.

/// A route; `T` is its meaning.
#[derive(Clone, Copy, Debug)]
pub struct Route<T: 'static> {
    /// Its methods, as the header `Allow` names them. `HEAD` goes with `GET`.
    pub methods: &'static str,
    /// Its path.
    pub pattern: &'static str,
    /// Its meaning.
    pub to: T,
}

impl<T> Route<T> {
    /// A route from its methods, path and meaning.
    pub const fn new(methods: &'static str, pattern: &'static str, to: T) -> Self {
        Self { methods, pattern, to }
    }

    fn takes(&self, method: &str) -> bool {
        let has = |wanted: &str| self.methods.split(", ").any(|own| own == wanted);
        has(method) || method == "HEAD" && has("GET")
    }
}

/// The segments of a path that stand for names of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captures<'p> {
    named: Vec<(&'static str, Vec<&'p str>)>,
    rest: Vec<&'p str>,
}

impl<'p> Captures<'p> {
    /// The segments of a name; none where the pattern has no such name.
    pub fn all(&self, name: &str) -> &[&'p str] {
        self.named.iter().find(|(own, _)| *own == name).map_or(&[], |(_, segments)| segments)
    }

    /// The segments that a last `...` takes.
    pub fn rest(&self) -> &[&'p str] {
        &self.rest
    }

    /// The only segment of a name, or its first.
    pub fn one(&self, name: &str) -> &'p str {
        self.all(name).first().copied().unwrap_or_default()
    }

    /// The only segment of a name as a text of its own.
    pub fn text(&self, name: &str) -> String {
        self.one(name).to_owned()
    }

    /// The segments of a name, joined by slashes.
    pub fn joined(&self, name: &str) -> String {
        self.all(name).join("/")
    }
}

/// A path that a table has.
#[derive(Clone, Debug)]
pub struct Found<'p, T: 'static> {
    table: &'static [Route<T>],
    first: &'static Route<T>,
    /// The segments that stand for its names.
    pub captures: Captures<'p>,
}

impl<T> Found<'_, T> {
    /// The first meaning of the path, whatever the method.
    pub fn meaning(&self) -> &'static T {
        &self.first.to
    }

    fn routes(&self) -> impl Iterator<Item = &'static Route<T>> {
        self.table.iter().filter(|route| route.pattern == self.first.pattern)
    }

    /// The meaning of a request by its method. *Errors*: the path does not take it; the methods that it takes.
    pub fn by(&self, method: &str) -> Result<&'static T, String> {
        let found = self.routes().find(|route| route.takes(method));
        found.map(|route| &route.to).ok_or_else(|| self.allowed())
    }

    /// The methods of the path: `GET, PUT`.
    pub fn allowed(&self) -> String {
        self.routes().map(|route| route.methods).collect::<Vec<_>>().join(", ")
    }
}

/// Finds a path, given by its decoded segments; `None` if the table does not have it.
pub fn find<'p, T>(table: &'static [Route<T>], parts: &[&'p str]) -> Option<Found<'p, T>> {
    table.iter().find_map(|first| Some(Found { table, first, captures: fits(first.pattern, parts)? }))
}

/// Returns what stands for the names of a pattern if a path fits.
fn fits<'p>(pattern: &'static str, parts: &[&'p str]) -> Option<Captures<'p>> {
    let mut captures = Captures::default();
    let mut own = pattern.split('/').filter(|segment| !segment.is_empty());
    let mut rest = parts;
    while let Some(segment) = own.next() {
        if segment == "..." {
            captures.rest = rest.to_vec();
            return Some(captures);
        }
        let Some((name, end)) = segment.strip_prefix('{').and_then(|name| name.split_once('}')) else {
            let (first, tail) = rest.split_first()?;
            rest = tail;
            if !segment.split('|').any(|word| word == *first) {
                return None;
            }
            continue;
        };
        let takes = match name.strip_suffix("...") {
            Some(_) => rest.len().checked_sub(own.clone().count()).filter(|takes| *takes > 0)?,
            None => 1,
        };
        let (taken, tail) = rest.split_at_checked(takes)?;
        rest = tail;
        let (last, taken) = taken.split_last()?;
        let last = last.strip_suffix(end)?;
        let (name, words) = name.split_once(':').unwrap_or((name, ""));
        if !words.is_empty() && !words.split('|').any(|word| word == last) {
            return None;
        }
        let is_whole = end.is_empty() || !last.is_empty();
        let segments = taken.iter().copied().chain(is_whole.then_some(last)).collect();
        captures.named.push((name.trim_end_matches("..."), segments));
    }
    rest.is_empty().then_some(captures)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[Route<&str>] = &[
        Route::new("GET", "", "root"),
        Route::new("GET", "apps", "apps"),
        Route::new("POST", "apps", "add"),
        Route::new("DELETE", "apps/{id...}/tasks/{task}", "task"),
        Route::new("GET, PUT", "apps/{id...}", "app"),
        Route::new("GET", "pods/{id...}::versions/{version}", "version"),
        Route::new("GET", "pods/{id...}::status", "status"),
        Route::new("POST", "machine/{op:down|up}/...", "machine"),
        Route::new("GET", "state|state.json/...", "state"),
    ];

    #[test]
    fn the_first_pattern_that_fits_has_the_path() {
        for (path, meaning, captures) in [
            ("", "root", ""),
            ("apps", "apps", ""),
            ("apps/a/b", "app", "id=a/b"),
            ("apps/a/tasks/t", "task", "id=a task=t"),
            ("apps/tasks/t", "app", "id=tasks/t"),
            ("pods/a/b::versions/v", "version", "id=a/b version=v"),
            ("pods/a/b::status", "status", "id=a/b"),
            ("pods/a/::status", "status", "id=a"),
            ("pods/::status", "status", "id="),
            ("machine/up/x/y", "machine", "op=up"),
            ("state.json/x", "state", ""),
        ] {
            let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
            let found = find(TABLE, &parts).expect(path);
            let named = found.captures.named.iter();
            let shown: Vec<String> =
                named.map(|(name, segments)| format!("{name}={}", segments.join("/"))).collect();
            assert_eq!((*found.meaning(), shown.join(" ").as_str()), (meaning, captures), "{path}");
        }
        for path in ["x", "pods/a", "machine", "machine/x"] {
            assert!(find(TABLE, &path.split('/').collect::<Vec<_>>()).is_none(), "{path}");
        }
    }

    #[test]
    fn a_path_says_which_methods_it_takes() {
        let found = find(TABLE, &["apps"]).expect("a path");
        assert_eq!((found.by("HEAD"), found.by("POST")), (Ok(&"apps"), Ok(&"add")));
        assert_eq!(found.by("PUT"), Err("GET, POST".to_owned()));
        let found = find(TABLE, &["apps", "a", "b"]).expect("a path");
        assert_eq!(found.by("PUT"), Ok(&"app"));
        assert_eq!((found.captures.one("id"), found.captures.joined("id")), ("a", "a/b".to_owned()));
        assert_eq!(find(TABLE, &["state", "x"]).expect("a path").captures.rest(), ["x"]);
        assert_eq!((found.captures.text("id"), found.captures.one("x")), ("a".to_owned(), ""));
    }
}
