//! For whole files of any rules: what ours allows the source allows, and what the source denies ours
//! denies, unless it is said that a deny was left out.

use proptest::prelude::*;
use serde_json::json;
use tipstaff_schema::Effect;

use super::sources::{
    claude_command, codex_command, first, gemini_command, gitignore, opencode, strictest,
};
use super::{command, edits, imported, policy, reads};
use crate::import::{Imported, Origin};

const WORDS: [&str; 12] = [
    "git", "npm", "run", "push", "-f", "--force", "main", "-rf", "a.py", "lib", "runx", "-",
];
const STARRED: [&str; 8] = ["*", "ru*", "*.py", "--fo*", "-*", "g*t", "*n*", "m*"];

fn effect() -> impl Strategy<Value = Effect> {
    prop::sample::select(vec![Effect::Allow, Effect::Ask, Effect::Deny])
}

fn words(at_least: usize) -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned);
    prop::collection::vec(word, at_least..5)
}

/// Words and stars with blanks between, and the endings that mean something.
fn pattern() -> impl Strategy<Value = String> {
    let word = prop_oneof![3 => prop::sample::select(WORDS.to_vec()), 1 => prop::sample::select(STARRED.to_vec())];
    let end = prop::sample::select(vec!["", "", " *", ":*", "*"]);
    (prop::collection::vec(word, 1..4), end)
        .prop_map(|(words, end)| format!("{}{end}", words.join(" ")))
}

fn rules<T: std::fmt::Debug>(
    one: impl Strategy<Value = T>,
) -> impl Strategy<Value = Vec<(Effect, T)>> {
    prop::collection::vec((effect(), one), 1..6)
}

/// The claim, for one call.
fn holds(
    imported: &Imported,
    ours: Effect,
    theirs: Effect,
    call: &dyn std::fmt::Debug,
) -> Result<(), TestCaseError> {
    let said = || {
        format!(
            "{call:?}: ours {ours}, theirs {theirs}\n{}\n{:?}",
            imported.yaml, imported.left_out
        )
    };
    prop_assert!(
        ours != Effect::Allow || theirs == Effect::Allow,
        "{}",
        said()
    );
    let whole = !imported.lost_a_deny_or_ask();
    prop_assert!(!whole || ours >= theirs, "{}", said());
    Ok(())
}

fn cases() -> ProptestConfig {
    ProptestConfig {
        cases: 96,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn claude_commands(rules in rules(pattern()), calls in prop::collection::vec(words(1), 24)) {
        let of = |wanted: Effect| -> Vec<String> {
            rules.iter().filter(|(effect, _)| *effect == wanted).map(|(_, text)| format!("Bash({text})")).collect()
        };
        let lists = json!({ "allow": of(Effect::Allow), "ask": of(Effect::Ask), "deny": of(Effect::Deny) });
        let imported = imported(Origin::Claude, &json!({ "permissions": lists }).to_string());
        let set = policy(&imported);
        for call in &calls {
            let text = call.join(" ");
            let theirs = strictest(rules.iter().map(|(effect, rule)| (*effect, claude_command(rule, &text))));
            let words: Vec<&str> = call.iter().map(String::as_str).collect();
            holds(&imported, command(&set, &words), theirs, call)?;
        }
    }

    #[test]
    fn opencode_commands(rules in rules(pattern()), calls in prop::collection::vec(words(1), 24)) {
        let mut patterns: Vec<(Effect, String)> = Vec::new();
        for (effect, text) in rules {
            // A name is written once.
            if patterns.iter().all(|(_, other)| *other != text) {
                patterns.push((effect, text));
            }
        }
        let members: Vec<String> = patterns.iter().map(|(effect, text)| format!("{}: {}", json!(text), json!(effect))).collect();
        let imported = imported(Origin::Opencode, &format!("{{\"permission\": {{\"bash\": {{{}}}}}}}", members.join(", ")));
        let set = policy(&imported);
        for call in &calls {
            let text = call.join(" ");
            let theirs = first(patterns.iter().rev().map(|(effect, rule)| (*effect, opencode(rule, &text))));
            let words: Vec<&str> = call.iter().map(String::as_str).collect();
            holds(&imported, command(&set, &words), theirs, call)?;
        }
    }

    #[test]
    fn gemini_commands(
        rules in rules((prop::option::of(words(1)), 0..4_u8)),
        calls in prop::collection::vec(words(1), 24),
    ) {
        let mut text = String::new();
        for (effect, (prefix, priority)) in &rules {
            let decision = match effect { Effect::Allow => "allow", Effect::Ask => "ask_user", Effect::Deny => "deny" };
            let prefix = prefix.as_ref().map(|words| format!("commandPrefix = {}\n", json!(words.join(" ")))).unwrap_or_default();
            text += &format!("[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"{decision}\"\npriority = {priority}\n{prefix}");
        }
        let imported = imported(Origin::Gemini, &text);
        let set = policy(&imported);
        let mut order: Vec<_> = rules.iter().collect();
        order.sort_by_key(|(_, (_, priority))| std::cmp::Reverse(*priority));
        for call in &calls {
            let text = call.join(" ");
            let matches = |prefix: &Option<Vec<String>>| prefix.as_ref().is_none_or(|words| gemini_command(&words.join(" "), &text));
            let theirs = first(order.iter().map(|(effect, (prefix, _))| (*effect, matches(prefix))));
            let words: Vec<&str> = call.iter().map(String::as_str).collect();
            holds(&imported, command(&set, &words), theirs, call)?;
        }
    }

    #[test]
    fn codex_commands(
        rules in rules(prop::collection::vec(prop::collection::vec(prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned), 1..3), 1..4)),
        calls in prop::collection::vec(words(1), 24),
    ) {
        let mut text = String::new();
        for (effect, pattern) in &rules {
            let decision = match effect { Effect::Allow => "allow", Effect::Ask => "prompt", Effect::Deny => "forbidden" };
            text += &format!("prefix_rule(pattern = {}, decision = \"{decision}\")\n", json!(pattern));
        }
        let imported = imported(Origin::Codex, &text);
        prop_assert!(imported.left_out.is_empty());
        let set = policy(&imported);
        for call in &calls {
            let theirs = strictest(rules.iter().map(|(effect, pattern)| (*effect, codex_command(pattern, call))));
            let words: Vec<&str> = call.iter().map(String::as_str).collect();
            holds(&imported, command(&set, &words), theirs, call)?;
        }
    }

    #[test]
    fn claude_files(rules in rules(file_pattern()), paths in prop::collection::vec(path(), 24)) {
        let of = |wanted: Effect| -> Vec<String> {
            rules.iter().filter(|(effect, _)| *effect == wanted).map(|(_, text)| format!("Read({text})")).collect()
        };
        let lists = json!({ "allow": of(Effect::Allow), "ask": of(Effect::Ask), "deny": of(Effect::Deny) });
        let imported = imported(Origin::Claude, &json!({ "permissions": lists }).to_string());
        let set = policy(&imported);
        for path in &paths {
            let theirs = strictest(rules.iter().map(|(effect, rule)| (*effect, gitignore(rule, path))));
            holds(&imported, reads(&set, &format!("/w/{path}")), theirs, path)?;
        }
    }

    #[test]
    fn opencode_files(rules in rules(file_pattern()), paths in prop::collection::vec(path(), 24)) {
        let mut patterns: Vec<(Effect, String)> = Vec::new();
        for (effect, text) in rules {
            let text = text.trim_matches('/').to_owned();
            if patterns.iter().all(|(_, other)| *other != text) {
                patterns.push((effect, text));
            }
        }
        let members: Vec<String> = patterns.iter().map(|(effect, text)| format!("{}: {}", json!(text), json!(effect))).collect();
        let imported = imported(Origin::Opencode, &format!("{{\"permission\": {{\"edit\": {{{}}}}}}}", members.join(", ")));
        let set = policy(&imported);
        for path in &paths {
            let theirs = first(patterns.iter().rev().map(|(effect, rule)| (*effect, opencode(rule, path))));
            holds(&imported, edits(&set, &format!("/w/{path}")), theirs, path)?;
        }
    }
}

fn file_pattern() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "a", "b", "c.rs", "*", "**", "*.rs", "a*", "?", "*b*", "{a}",
    ]);
    let start = prop::sample::select(vec!["", "/"]);
    let end = prop::sample::select(vec!["", "", "/", "/**"]);
    (start, prop::collection::vec(part, 1..4), end)
        .prop_map(|(start, parts, end)| format!("{start}{}{end}", parts.join("/")))
}

fn path() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec!["a", "b", "c.rs", "ab", "x", "xbx.rs", "{a}"]);
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.join("/"))
}
