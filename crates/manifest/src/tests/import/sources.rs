//! What rules mean where they come from, written plainly and apart from the import: texts are matched
//! as texts, in each source's own order.

use tipstaff_schema::Effect;

/// Whether a pattern in which `*` is any text, and `?` (where it is known) one character, is the whole text.
pub(super) fn stars(pattern: &[char], text: &[char], one: bool) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some(('*', rest)) => (0..=text.len()).any(|n| stars(rest, &text[n..], one)),
        Some(('?', rest)) if one => !text.is_empty() && stars(rest, &text[1..], one),
        Some((c, rest)) => text.first() == Some(c) && stars(rest, &text[1..], one),
    }
}

fn whole(pattern: &str, text: &str, one: bool) -> bool {
    let chars = |text: &str| text.chars().collect::<Vec<_>>();
    stars(&chars(pattern), &chars(text), one)
}

/// `Bash(…)` of Claude Code: `:*` at the end is ` *`, and one lone star at the end may be nothing.
pub(super) fn claude_command(pattern: &str, text: &str) -> bool {
    let pattern = pattern
        .strip_suffix(":*")
        .map_or(pattern.to_owned(), |prefix| format!("{prefix} *"));
    let bare = pattern
        .strip_suffix(" *")
        .filter(|prefix| !prefix.contains('*'));
    bare == Some(text) || whole(&pattern, text, false)
}

/// A pattern of opencode: ` *` at the end may be nothing.
pub(super) fn opencode(pattern: &str, text: &str) -> bool {
    let bare = pattern.strip_suffix(" *");
    bare.is_some_and(|prefix| whole(prefix, text, true)) || whole(pattern, text, true)
}

/// `commandPrefix` of Gemini CLI: the text begins so, and a blank or its end comes next.
pub(super) fn gemini_command(prefix: &str, text: &str) -> bool {
    text.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// `prefix_rule` of Codex: word by word.
pub(super) fn codex_command(pattern: &[Vec<String>], words: &[String]) -> bool {
    words.len() >= pattern.len()
        && pattern
            .iter()
            .zip(words)
            .all(|(choices, word)| choices.contains(word))
}

/// A pattern of `.gitignore`, by the manual: a slash in the middle or in front anchors it, one behind
/// means folders, and what is below a folder that is meant is meant.
pub(super) fn gitignore(pattern: &str, path: &str) -> bool {
    let folder = pattern.ends_with('/');
    let body = pattern.trim_end_matches('/');
    let anchored = body.contains('/');
    let body = body.trim_start_matches('/');
    let wanted: Vec<&str> = if anchored {
        body.split('/').collect()
    } else {
        ["**"].into_iter().chain(body.split('/')).collect()
    };
    let parts: Vec<&str> = path.split('/').collect();
    // Every folder above the path, and the path itself, which is a file.
    (1..=parts.len()).any(|n| parts_match(&wanted, &parts[..n]) && (!folder || n < parts.len()))
}

fn parts_match(wanted: &[&str], parts: &[&str]) -> bool {
    match wanted.split_first() {
        None => parts.is_empty(),
        // At the end it means what is inside, not the folder itself.
        Some((&"**", [])) => !parts.is_empty(),
        Some((&"**", rest)) => (0..=parts.len()).any(|n| parts_match(rest, &parts[n..])),
        Some((one, rest)) => {
            parts.first().is_some_and(|part| whole(one, part, true))
                && parts_match(rest, &parts[1..])
        }
    }
}

/// Of rules in their order of precedence the first that matches.
pub(super) fn first(rules: impl IntoIterator<Item = (Effect, bool)>) -> Effect {
    rules
        .into_iter()
        .find(|(_, matches)| *matches)
        .map_or(Effect::Ask, |(effect, _)| effect)
}

/// Of all that match the strictest.
pub(super) fn strictest(rules: impl IntoIterator<Item = (Effect, bool)>) -> Effect {
    let matching = rules.into_iter().filter(|(_, matches)| *matches);
    matching
        .map(|(effect, _)| effect)
        .max()
        .unwrap_or(Effect::Ask)
}

#[test]
fn the_plain_readings_say_what_the_sources_document() {
    assert!(
        claude_command("npm run test:*", "npm run test --x")
            && claude_command("npm run test:*", "npm run test")
    );
    assert!(!claude_command("npm run test:*", "npm run tests") && claude_command("ls*", "lsof"));
    assert!(
        claude_command("git * main", "git merge main") && !claude_command("git * main", "git main")
    );
    assert!(opencode("git *", "git") && opencode("git *", "git a b") && !opencode("git *", "gitk"));
    assert!(opencode("*.env", "a/b/.env"));
    assert!(gemini_command("git", "git log") && !gemini_command("git", "github"));
    assert!(
        gitignore("*.env", "a/x.env") && gitignore("/src/", "src/a") && !gitignore("/src/", "src")
    );
    assert!(
        gitignore("src/**", "src/a/b") && !gitignore("src/**", "src") && gitignore("a/**/b", "a/b")
    );
    assert!(gitignore("secrets", "x/secrets/a/b") && !gitignore("x/secrets", "y/x/secrets"));
}
