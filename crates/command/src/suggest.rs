//! What an allow rule would have to say to answer one command of a plan, narrowest first.
//!
//! Never wider than what people can see in it: free operands only for programs whose every flag the
//! table knows and whose effects are under `read-only`; exact words for all others. Nothing is
//! suggested for what removes files or gains rights, for what may be a secret, for absolute paths
//! below the root, and for texts too long to be read.

use tipstaff_resource::Pattern;
use tipstaff_schema::ResourceKind;

use crate::programs::ProgramTable;
use crate::{
    Allowance, Breadth, Ceiling, CeilingTable, CommandEffect, CommandPlan, EffectKind, Extent,
    SimpleCommand, Suggestion, WordShape,
};

/// Longer commands are not suggested: nobody reads such a rule.
const MAX_WORDS: usize = 16;
const MAX_CHARS: usize = 160;

/// Programs that run what they are given: no operand of theirs is ever free.
const RUNS_CODE: [&str; 35] = [
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "fish",
    "csh",
    "tcsh",
    "python",
    "python2",
    "python3",
    "pypy",
    "pypy3",
    "node",
    "deno",
    "bun",
    "perl",
    "ruby",
    "php",
    "lua",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "sed",
    "make",
    "find",
    "eval",
    "source",
    ".",
    "xargs",
    "env",
    "tar",
    "rsync",
    "osascript",
];

/// Words in which secrets travel.
const SECRETS: [&str; 8] = [
    "password",
    "passwd",
    "secret",
    "token",
    "apikey",
    "api-key",
    "api_key",
    "authorization",
];

/// What would answer the command at this place of the plan; `root` is the agent's root folder.
#[must_use]
pub fn suggest(
    plan: &CommandPlan,
    index: usize,
    root: Option<&str>,
    table: &ProgramTable,
) -> Vec<Suggestion> {
    let Some(command) = plan
        .commands
        .get(index)
        .filter(|_| plan.unknowns.is_empty())
    else {
        return Vec::new();
    };
    let effects: Vec<&CommandEffect> = plan
        .effects
        .iter()
        .filter(|effect| effect.command == index)
        .collect();
    if !may_be_suggested(command, root) {
        return Vec::new();
    }
    let Some(ceiling) = ceiling(&effects, root) else {
        return Vec::new();
    };
    let exact = command.words.iter().map(|word| escaped(&word.text));
    let mut found = vec![Suggestion {
        words: exact.collect(),
        ceiling: ceiling.clone(),
        breadth: Breadth::Exact,
    }];
    if ceiling == Ceiling::ReadOnly
        && let Some(words) = with_free_operands(command, table)
    {
        found.push(Suggestion {
            words,
            ceiling,
            breadth: Breadth::AnyOperands,
        });
    }
    found
}

fn may_be_suggested(command: &SimpleCommand, root: Option<&str>) -> bool {
    let Some(program) = command.words.first() else {
        return false;
    };
    let chars: usize = command
        .words
        .iter()
        .map(|word| word.text.chars().count() + 1)
        .sum();
    let literal = command
        .words
        .iter()
        .all(|word| word.shape == WordShape::Literal);
    let root = root.map(|root| root.trim_end_matches('/'));
    let own = root.is_some_and(|root| {
        program
            .text
            .strip_prefix(root)
            .is_some_and(|rest| rest.starts_with('/'))
    });
    literal
        && !own
        && command.assignments.is_empty()
        && command.words.len() <= MAX_WORDS
        && chars <= MAX_CHARS
        && !(command.words.len() == 1 && program.text.contains('/'))
        && command.words.iter().all(|word| {
            !may_be_secret(&word.text)
                && !word.text.contains(char::is_control)
                && !word.text.is_empty()
        })
}

/// Whether a word may hold a password or the like: it is not to be kept in a file of rules.
fn may_be_secret(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let named = SECRETS.iter().any(|name| lower.contains(name));
    let run = |c: char| c.is_ascii_alphanumeric() || c == '+' || c == '=';
    let longest = lower
        .split(|c| !run(c))
        .map(str::len)
        .max()
        .unwrap_or_default();
    named || longest >= 32
}

/// The program, its subcommand where it has some, and any operands.
fn with_free_operands(command: &SimpleCommand, table: &ProgramTable) -> Option<Vec<String>> {
    let program = command.words.first()?.text.as_str();
    let known = table.programs.get(program)?;
    let with_code = RUNS_CODE.contains(&program)
        || table.foreign.contains_key(program)
        || table.wrappers.contains_key(program);
    let fixed = if known.sub.is_empty() { 1 } else { 2 };
    let (kept, free) = command.words.split_at_checked(fixed)?;
    let subcommand = kept
        .get(1)
        .is_none_or(|word| known.sub.contains_key(&word.text));
    let flags = free.iter().any(|word| word.text.starts_with('-'));
    if with_code || !subcommand || free.is_empty() || flags {
        return None;
    }
    let mut words: Vec<String> = kept.iter().map(|word| escaped(&word.text)).collect();
    words.push("**".to_owned());
    Some(words)
}

/// The narrowest ceiling over all the effects; none where only too wide a one would do.
fn ceiling(effects: &[&CommandEffect], root: Option<&str>) -> Option<Ceiling> {
    let read_only = Ceiling::ReadOnly;
    if effects.iter().all(|effect| read_only.covers(effect, root)) {
        return Some(read_only);
    }
    let removes = |kind| matches!(kind, EffectKind::Deletes | EffectKind::Escalates);
    if effects.iter().any(|effect| removes(effect.kind)) {
        return None;
    }
    if effects.iter().any(|effect| effect.kind == EffectKind::Any) {
        return Some(Ceiling::Any);
    }
    let mut table = CeilingTable::default();
    for effect in effects {
        let (allowance, kind) = match effect.kind {
            EffectKind::Reads => (&mut table.reads, ResourceKind::Path),
            EffectKind::Writes => (&mut table.writes, ResourceKind::Path),
            EffectKind::Connects => (&mut table.connects, ResourceKind::Host),
            EffectKind::Executes => (&mut table.executes, ResourceKind::None),
            EffectKind::SetsEnv => (&mut table.sets, ResourceKind::None),
            EffectKind::Deletes | EffectKind::Escalates | EffectKind::Any => return None,
        };
        let pattern = pattern(effect, kind, root)?;
        match allowance {
            Allowance::None => *allowance = Allowance::These(vec![pattern]),
            Allowance::These(patterns) if !patterns.contains(&pattern) => patterns.push(pattern),
            Allowance::These(_) | Allowance::Any => {}
        }
    }
    let table = Ceiling::Table(table);
    let all = effects.iter().all(|effect| table.covers(effect, root));
    all.then_some(table)
}

/// A pattern for exactly what the effect names; paths below the root stand relative to it.
fn pattern(effect: &CommandEffect, kind: ResourceKind, root: Option<&str>) -> Option<Pattern> {
    let value = effect.value.as_deref()?;
    let root = root.map(|root| root.trim_end_matches('/'));
    let inside = root
        .and_then(|root| value.strip_prefix(root))
        .filter(|rest| rest.starts_with('/') && kind == ResourceKind::Path);
    let mut text = match inside {
        Some(rest) => format!(".{}", escaped_path(rest)),
        None => escaped_path(value),
    };
    if effect.extent == Extent::Tree {
        text = format!("{}/**", text.trim_end_matches('/'));
    }
    Pattern::parse(&text, kind).ok()
}

/// A word as a pattern that means only itself.
fn escaped(word: &str) -> String {
    escaped_path(word)
}

fn escaped_path(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "*?[]{}\\,!".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
