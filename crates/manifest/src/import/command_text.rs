//! Patterns over the text of a command, as the words that our patterns are made of.
//!
//! In an allow the words say no more than the text, in an ask or deny no less.

use tipstaff_schema::Effect;

use super::found::What;

/// What a format's pattern language knows beside plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stars {
    /// `*`: any text, blanks too.
    Star,
    /// Also `?`: one character.
    StarAndOne,
    /// Nothing: the text is a prefix that ends with a word.
    Prefix,
}

/// What came of a pattern, and how it says less or more than the text.
pub(super) type Translated = Result<(What, Option<&'static str>), &'static str>;

const CUT: &str = "wider: from the first word on that cannot be said exactly, any words are meant";

/// Folders whose programs are known by their bare name.
const STANDARD: [&str; 6] = [
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/sbin/",
    "/usr/sbin/",
    "/usr/local/sbin/",
];

/// Reads a pattern over a command's text.
pub(super) fn read(text: &str, stars: Stars, effect: Effect) -> Translated {
    if text.chars().any(char::is_control) {
        return Err("it holds a control character");
    }
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    if effect == Effect::Allow && words.join(" ") != text {
        return Err("it says how many blanks there are, which says nothing about words");
    }
    let Some(first) = words.first() else {
        return Err("it is empty");
    };
    if words.len() == 1 && *first == "*" && stars != Stars::Prefix {
        return Ok((What::AllCommands, None));
    }
    if effect == Effect::Allow {
        let pattern = narrow(&words, stars)?;
        return Ok((What::Commands(vec![pattern]), None));
    }
    let (pattern, note) = wide(&words, stars)?;
    Ok((What::Commands(vec![pattern]), note))
}

/// Characters that are read by a shell before there are words.
fn is_shell(word: &str) -> bool {
    word.contains(|c: char| "'\"\\$`;|&<>(){}[]!#~^".contains(c) || !c.is_ascii())
}

fn has_star(word: &str, stars: Stars) -> bool {
    match stars {
        Stars::Star => word.contains('*'),
        Stars::StarAndOne => word.contains(['*', '?']),
        Stars::Prefix => false,
    }
}

fn narrow(words: &[&str], stars: Stars) -> Result<Vec<String>, &'static str> {
    let first = words.first().copied().unwrap_or_default();
    if first.contains('=') {
        return Err("it begins with a variable, and ours judges the program behind it");
    }
    if STANDARD.iter().any(|folder| first.starts_with(folder)) {
        return Err(
            "it names a program by a path that ours knows by its bare name; write the bare name",
        );
    }
    let wild = words.iter().filter(|word| has_star(word, stars)).count();
    let mut pattern = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let last = at + 1 == words.len();
        if is_shell(word) {
            return Err(
                "ours reads quotes, variables, globs and operators as the shell does, not as text",
            );
        }
        if *word == "*" && stars != Stars::Prefix {
            // A lone star at the end may stand for nothing; elsewhere a blank stands on both sides.
            if !(last && wild == 1) {
                pattern.push("*".to_owned());
            }
            pattern.push("**flags".to_owned());
        } else if has_star(word, stars) {
            if word.starts_with("**") {
                return Err("two stars at the front of a word cannot be said");
            }
            pattern.push(glob(word, stars));
            if last && word.ends_with('*') {
                pattern.push("**flags".to_owned());
            }
        } else {
            pattern.push(literal(word));
        }
    }
    if stars == Stars::Prefix {
        pattern.push("**flags".to_owned());
    }
    Ok(pattern)
}

fn wide(words: &[&str], stars: Stars) -> Result<(Vec<String>, Option<&'static str>), &'static str> {
    let mut pattern: Vec<String> = Vec::new();
    let mut note = None;
    let mut open = stars == Stars::Prefix;
    for (at, word) in words.iter().enumerate() {
        let (first, last) = (at == 0, at + 1 == words.len());
        if *word == "*" && stars != Stars::Prefix {
            if first {
                pattern.push("*".to_owned());
            }
            pattern.push("**".to_owned());
            continue;
        }
        let program = STANDARD
            .iter()
            .find_map(|folder| word.strip_prefix(folder))
            .filter(|_| first);
        let word = program.unwrap_or(word);
        let starred = has_star(word, stars);
        if !starred && sayable(word) {
            pattern.push(literal(word));
            continue;
        }
        let head = word.split(['*', '?']).next().unwrap_or_default();
        let ends = last
            && word
                .strip_suffix('*')
                .is_some_and(|rest| !has_star(rest, stars));
        if starred && !head.is_empty() && sayable(head) && !head.starts_with('-') {
            pattern.push(format!("{}*", literal(head)));
            note = if ends { note } else { Some(CUT) };
        } else {
            note = Some(CUT);
        }
        open = true;
        break;
    }
    if open && pattern.last().is_none_or(|word| word != "**") {
        pattern.push("**".to_owned());
    }
    match pattern.first().map(String::as_str) {
        Some("**") | None => Err("nothing of it can be said in words of a command"),
        Some(_) => Ok((pattern, note)),
    }
}

/// Whether a word of a deny stands for itself when it is met; flags are compared as they are written.
fn sayable(word: &str) -> bool {
    !is_shell(word) && (!word.starts_with('-') || literal(word) == word)
}

/// One exact word.
pub(super) fn literal(word: &str) -> String {
    escape(word, "*?[]{}\\,!@+")
}

fn glob(word: &str, stars: Stars) -> String {
    match stars {
        Stars::StarAndOne => escape(word, "[]{}\\,!@+"),
        Stars::Star | Stars::Prefix => escape(word, "?[]{}\\,!@+"),
    }
}

fn escape(word: &str, special: &str) -> String {
    let mut out = String::new();
    for c in word.chars() {
        if special.contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Exact words of which a command must begin with these, for an allow: as they are.
pub(super) fn prefix_of_words(words: &[&str], effect: Effect) -> Translated {
    let Some(first) = words.first() else {
        return Err("it is empty");
    };
    if words
        .iter()
        .any(|word| word.is_empty() || word.chars().any(char::is_control))
    {
        return Err("a word of it is empty or holds a control character");
    }
    if words.iter().any(|word| word.starts_with("**")) {
        return Err("two stars at the front of a word cannot be said");
    }
    let name = STANDARD
        .iter()
        .find_map(|folder| first.strip_prefix(folder));
    if effect == Effect::Allow {
        if name.is_some() {
            return Err(
                "it names a program by a path that ours knows by its bare name; write the bare name",
            );
        }
        let exact = words.iter().map(|word| literal(word));
        let pattern = exact.chain(["**flags".to_owned()]).collect();
        return Ok((What::Commands(vec![pattern]), None));
    }
    let mut pattern = Vec::new();
    let mut note = None;
    for word in std::iter::once(name.unwrap_or(first)).chain(words.iter().skip(1).copied()) {
        // A flag is compared as it is written, without escapes.
        if word.starts_with('-') && literal(word) != word {
            note = Some(CUT);
            break;
        }
        pattern.push(literal(word));
    }
    pattern.push("**".to_owned());
    if pattern.len() == 1 {
        return Err("nothing of it can be said in words of a command");
    }
    Ok((What::Commands(vec![pattern]), note))
}
