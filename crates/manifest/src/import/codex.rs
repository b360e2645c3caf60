//! A rules file of Codex: calls of `prefix_rule` with literal arguments; the strictest that matches decides.

use tipstaff_schema::Effect;

use super::claude::domain;
use super::command_text;
use super::found::{Class, Found, Reading, What};
use super::literals::{self, Call, Literal};
use super::{ImportError, ImportOptions};

/// In so many patterns one rule is written out.
const MAX_PATTERNS: usize = 64;

pub(super) fn read(text: &str, _: &ImportOptions) -> Result<Reading, ImportError> {
    let (calls, unread) = literals::read(text);
    let mut reading = Reading::default();
    for (line, why) in unread {
        let what = What::NotUnderstood(None, format!("{why}: there may be rules in it"));
        reading
            .rules
            .push(Found::new(format!("line {line}"), "", Effect::Deny, what));
    }
    for call in &calls {
        one(&mut reading, call);
    }
    if reading.rules.is_empty() && reading.left_out.is_empty() {
        return Err(ImportError::Nothing {
            what: "`prefix_rule(pattern = [\u{2026}])`",
        });
    }
    reading
        .rules
        .sort_by_key(|found| std::cmp::Reverse(found.effect));
    Ok(reading)
}

fn one(reading: &mut Reading, call: &Call) {
    let at = format!("line {}", call.line);
    match call.name.as_str() {
        "prefix_rule" => {
            let names = ["pattern", "decision", "match", "not_match", "justification"];
            let Some(effect) = effect(call.argument("decision", 1), Some(Effect::Allow)) else {
                let why = "its `decision` is none of `allow`, `prompt` and `forbidden`".to_owned();
                reading.rules.push(Found::new(
                    at,
                    &call.text,
                    Effect::Deny,
                    What::NotUnderstood(Some(Class::Commands), why),
                ));
                return;
            };
            let odd = call
                .arguments
                .iter()
                .find(|(name, _)| name.as_deref().is_some_and(|name| !names.contains(&name)));
            let what = match odd {
                Some(_) => Err("it has an argument that is not known here"),
                None => patterns(call.argument("pattern", 0), effect),
            };
            let (what, note) = what.unwrap_or_else(|why| {
                (
                    What::NotUnderstood(Some(Class::Commands), why.to_owned()),
                    None,
                )
            });
            reading
                .rules
                .push(Found::new(at, &call.text, effect, what).note(note));
        }
        "network_rule" => {
            let effect = effect(call.argument("decision", 2), None).unwrap_or(Effect::Deny);
            match (call.argument("host", 0), effect) {
                (_, Effect::Allow) => {
                    let why = "it opens the network of the source's sandbox, which is no tool here";
                    reading.leave(at, &call.text, Some(effect), why);
                }
                (Some(Literal::Text(host)), Effect::Ask | Effect::Deny) => {
                    reading
                        .rules
                        .push(Found::new(at, &call.text, effect, domain(host, effect)));
                }
                (_, Effect::Ask | Effect::Deny) => {
                    reading.leave(at, &call.text, Some(effect), "its `host` is no text");
                }
            }
        }
        "host_executable" => {
            let why = "ours knows a program by its bare name in the standard folders, and by its path elsewhere";
            reading.leave(at, &call.text, None, why);
        }
        _ => {
            let what = What::NotUnderstood(None, "a function that is not known here".to_owned());
            reading
                .rules
                .push(Found::new(at, &call.text, Effect::Deny, what));
        }
    }
}

fn effect(decision: Option<&Literal>, silent: Option<Effect>) -> Option<Effect> {
    match decision {
        None => silent,
        Some(Literal::Text(text)) => match text.as_str() {
            "allow" => Some(Effect::Allow),
            "prompt" => Some(Effect::Ask),
            "forbidden" | "deny" => Some(Effect::Deny),
            _ => None,
        },
        Some(Literal::Name(name)) if name == "None" => silent,
        Some(Literal::List(_) | Literal::Name(_)) => None,
    }
}

/// Every way in which the alternatives can be chosen is a pattern.
fn patterns(pattern: Option<&Literal>, effect: Effect) -> command_text::Translated {
    let Some(Literal::List(tokens)) = pattern else {
        return Err("its `pattern` is no list");
    };
    let mut ways: Vec<Vec<&str>> = vec![Vec::new()];
    for token in tokens {
        let choices: Vec<&str> = match token {
            Literal::Text(text) => vec![text],
            Literal::List(items) => items
                .iter()
                .map(|item| match item {
                    Literal::Text(text) => Ok(text.as_str()),
                    Literal::List(_) | Literal::Name(_) => {
                        Err("an alternative of its `pattern` is no text")
                    }
                })
                .collect::<Result<_, _>>()?,
            Literal::Name(_) => return Err("a word of its `pattern` is no text"),
        };
        ways = ways
            .iter()
            .flat_map(|way| {
                choices
                    .iter()
                    .map(move |choice| way.iter().copied().chain([*choice]).collect())
            })
            .collect();
        if ways.len() > MAX_PATTERNS || ways.is_empty() {
            return Err("its alternatives make too many patterns, or none");
        }
    }
    let (mut all, mut note) = (Vec::new(), None);
    for way in ways {
        match command_text::prefix_of_words(&way, effect)? {
            (What::Commands(words), own) => {
                all.extend(words);
                note = note.or(own);
            }
            (other, own) => return Ok((other, own)),
        }
    }
    Ok((What::Commands(all), note))
}
