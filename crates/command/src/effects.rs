//! What a simple command does: the table's reading of its words, as effects on paths and hosts.

use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{Access, ResourceKind};

use crate::arguments::{self, Use};
use crate::code;
use crate::programs::{ProgramTable, Role};
use crate::wrappers;
use crate::{
    CommandEffect, EffectKind, Extent, SimpleCommand, Word, WordShape, is_place_that_executes,
};

/// The effects of one command, which is the one with this index in the plan.
pub(crate) fn of(
    command: &SimpleCommand,
    table: &ProgramTable,
    index: usize,
) -> Vec<CommandEffect> {
    let Some((program, words)) = command.words.split_first() else {
        return Vec::new();
    };
    let maker = Maker {
        cwd: command.cwd.as_deref(),
        index,
    };
    let spec = table.programs.get(&program.text);
    let words = &if program.text == "find" {
        wrappers::without_commands(words)
    } else {
        words.to_vec()
    };
    match spec
        .filter(|_| is_plain_code(&command.words, table))
        .map(|spec| arguments::read(spec, words))
    {
        Some(Ok(uses)) => {
            let extent = if uses.tree { Extent::Tree } else { Extent::One };
            let mut effects: Vec<_> = uses
                .uses
                .iter()
                .flat_map(|one| maker.effects(one, extent))
                .collect();
            if let Some(target) = uses
                .uses
                .iter()
                .rev()
                .find(|one| one.role == Role::Write)
                .filter(|_| !uses.into.is_empty())
            {
                effects.extend(
                    uses.into
                        .iter()
                        .flat_map(|from| maker.put_into(target.word.as_ref(), from, extent)),
                );
            }
            effects
        }
        Some(Err(arguments::NotKnown)) | None => maker.anything(program, words),
    }
}

/// What a redirection does to its target.
pub(crate) fn redirect(
    target: &Word,
    kind: EffectKind,
    cwd: Option<&str>,
    index: usize,
) -> Vec<CommandEffect> {
    if let Some(rest) = target
        .text
        .strip_prefix("/dev/tcp/")
        .or_else(|| target.text.strip_prefix("/dev/udp/"))
    {
        let host = rest
            .split('/')
            .next()
            .filter(|_| target.shape == WordShape::Literal);
        return vec![CommandEffect {
            kind: EffectKind::Connects,
            value: host.and_then(host_of),
            extent: Extent::One,
            command: index,
            written: None,
        }];
    }
    let role = if kind == EffectKind::Reads {
        Role::Read
    } else {
        Role::Write
    };
    Maker { cwd, index }.effects(&Use::of(role, Some(target.clone())), Extent::One)
}

struct Maker<'a> {
    cwd: Option<&'a str>,
    index: usize,
}

impl Maker<'_> {
    const fn effect(
        &self,
        kind: EffectKind,
        value: Option<String>,
        extent: Extent,
    ) -> CommandEffect {
        CommandEffect {
            kind,
            value,
            extent,
            command: self.index,
            written: None,
        }
    }

    fn effects(&self, one: &Use, extent: Extent) -> Vec<CommandEffect> {
        let word = one.word.as_ref();
        let literal = || {
            word.filter(|word| word.shape == WordShape::Literal)
                .map(|word| word.text.clone())
        };
        match one.role {
            Role::Text | Role::Sed | Role::Awk | Role::Jq => Vec::new(),
            Role::Data => match word.map(|word| (word.text.strip_prefix('@'), word.shape)) {
                Some((Some(file), shape)) => self.path(
                    EffectKind::Reads,
                    Some(&Word {
                        text: file.to_owned(),
                        shape,
                    }),
                    extent,
                ),
                Some((None, WordShape::Literal)) => Vec::new(),
                Some((None, WordShape::Glob | WordShape::Expanded)) | None => {
                    vec![self.effect(EffectKind::Reads, None, extent)]
                }
            },
            Role::Object => {
                let inside = word.and_then(|word| {
                    Some(Word {
                        text: word.text.split_once(':')?.1.to_owned(),
                        shape: word.shape,
                    })
                });
                let inside = inside.filter(|word| !word.text.is_empty());
                let paths = word.into_iter().chain(&inside);
                paths
                    .flat_map(|word| self.path(EffectKind::Reads, Some(word), extent))
                    .collect()
            }
            Role::Read => self.path(EffectKind::Reads, word, extent),
            Role::Write => self.path(EffectKind::Writes, word, extent),
            Role::Delete => self.path(EffectKind::Deletes, word, extent),
            Role::Move => [
                self.path(EffectKind::Reads, word, Extent::Tree),
                self.path(EffectKind::Deletes, word, Extent::Tree),
            ]
            .concat(),
            Role::Connect => vec![self.effect(
                EffectKind::Connects,
                literal().and_then(|text| host_of(&text)),
                Extent::One,
            )],
            Role::Execute => vec![self.effect(EffectKind::Executes, literal(), Extent::One)],
            Role::Name if word.is_some_and(|word| is_own_variable(&word.text)) => Vec::new(),
            Role::Set | Role::Name => {
                vec![self.effect(EffectKind::SetsEnv, literal(), Extent::One)]
            }
        }
    }

    fn path(&self, kind: EffectKind, word: Option<&Word>, extent: Extent) -> Vec<CommandEffect> {
        let Some(word) = word else {
            return vec![self.effect(kind, None, extent)];
        };
        if word.shape == WordShape::Literal && is_stream(&word.text) {
            return Vec::new();
        }
        let effect = CommandEffect {
            kind,
            ..self.place(word, extent)
        };
        let value = effect.value.as_deref();
        let runs = kind == EffectKind::Writes && value.is_some_and(is_place_that_executes);
        let mut effects = vec![effect];
        if runs {
            effects.extend(effects.first().cloned().map(|effect| CommandEffect {
                kind: EffectKind::Executes,
                ..effect
            }));
        }
        effects
    }

    /// The path of a word, used in whatever way; for a glob the folder in which it looks.
    fn place(&self, word: &Word, extent: Extent) -> CommandEffect {
        let base = Base {
            cwd: self.cwd,
            root: None,
        };
        let (text, extent) = match word.shape {
            WordShape::Literal => (Some(word.text.as_str()), extent),
            WordShape::Glob => {
                let before = word.text.split(['*', '?', '[']).next().unwrap_or_default();
                let folder = before.rsplit_once('/').map_or("./", |(folder, _)| {
                    if folder.is_empty() { "/" } else { folder }
                });
                (Some(folder), Extent::Tree)
            }
            WordShape::Expanded => (None, extent),
        };
        let value = text.and_then(|text| Resource::fold_path(text, &base).ok());
        let climbs = text.filter(|text| value.is_some() && text.split('/').any(|p| p == ".."));
        CommandEffect {
            written: climbs.and_then(|text| Resource::absolute_path(text, &base).ok()),
            ..self.effect(EffectKind::Any, value, extent)
        }
    }

    /// `cp a b` writes `b`, or `b/a` where `b` is a folder.
    fn put_into(&self, target: Option<&Word>, from: &Word, extent: Extent) -> Vec<CommandEffect> {
        let name = from
            .text
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let Some(target) = target.filter(|word| word.shape == WordShape::Literal) else {
            return Vec::new();
        };
        if from.shape != WordShape::Literal {
            return self.path(EffectKind::Writes, Some(target), Extent::Tree);
        }
        let word = Word::literal(format!("{}/{name}", target.text.trim_end_matches('/')));
        self.path(EffectKind::Writes, Some(&word), extent)
    }

    /// A program or flag that the table does not know: anything, and its words as possible paths.
    fn anything(&self, program: &Word, words: &[Word]) -> Vec<CommandEffect> {
        let mut effects = vec![self.effect(EffectKind::Any, None, Extent::One)];
        if program.text.contains('/') {
            effects.push(CommandEffect {
                kind: EffectKind::Executes,
                ..self.place(program, Extent::One)
            });
        }
        for word in words {
            let parts = [
                Some(word.text.as_str()),
                word.text.split_once('=').map(|(_, value)| value),
                word.text.strip_prefix('@'),
            ];
            for text in parts
                .into_iter()
                .flatten()
                .filter(|text| !text.is_empty() && !text.starts_with("--"))
            {
                let place = self.place(
                    &Word {
                        text: text.to_owned(),
                        shape: word.shape,
                    },
                    Extent::One,
                );
                effects.extend(Some(place).filter(|place| place.value.is_some()));
            }
        }
        effects.dedup();
        effects
    }
}

/// Standard streams and the null device: nothing is read from or written to a file.
fn is_stream(text: &str) -> bool {
    matches!(
        text,
        "-" | "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty"
    ) || text.starts_with("/dev/fd/")
}

/// The canonical host of a URL, or of a text that a program would take for one.
fn host_of(text: &str) -> Option<String> {
    if text.contains(['{', '[', '}']) && !text.contains("://[") {
        return None;
    }
    let url = if text.contains("://") {
        text.to_owned()
    } else {
        format!("http://{text}")
    };
    let url = Resource::parse(ResourceKind::Url, &url, Access::Connect, &Base::default()).ok()?;
    let authority = url
        .value()
        .split_once("://")?
        .1
        .split(['/', '?', '#'])
        .next()?;
    let host = match authority.strip_prefix('[') {
        Some(inner) => inner.split(']').next()?,
        None => authority.split(':').next()?,
    };
    Some(host.to_owned())
}

/// Whether a variable is one that only a script of the shell uses: a name in small letters, which no
/// program is told by, but for those of proxies.
pub(crate) fn is_own_variable(name: &str) -> bool {
    wrappers::is_name(name)
        && !name.contains(|c: char| c.is_ascii_uppercase())
        && !name.ends_with("_proxy")
        && !["histchars", "auto_resume"].contains(&name)
}

/// Whether all code in other languages that stands in the words only computes and prints. Where the
/// table cannot tell which word is code, it is the first that is no flag.
pub(crate) fn is_plain_code(words: &[Word], table: &ProgramTable) -> bool {
    let Some((program, words)) = words.split_first() else {
        return true;
    };
    let Some(spec) = table.programs.get(&program.text) else {
        return true;
    };
    match arguments::read(spec, words) {
        Ok(uses) => uses.uses.iter().all(|one| {
            let code = one
                .word
                .as_ref()
                .filter(|word| word.shape != WordShape::Expanded);
            is_plain(one.role, code)
        }),
        Err(arguments::NotKnown) => {
            let code = words.iter().find(|word| !word.text.starts_with('-'));
            spec.first.is_none_or(|role| is_plain(role, code))
        }
    }
}

fn is_plain(role: Role, code: Option<&Word>) -> bool {
    let code = code.map(|word| word.text.as_str());
    match role {
        Role::Sed => code.is_some_and(code::is_plain_sed),
        Role::Awk => code.is_some_and(code::is_plain_awk),
        Role::Jq => code.is_some_and(code::is_plain_jq),
        Role::Text
        | Role::Data
        | Role::Object
        | Role::Read
        | Role::Write
        | Role::Delete
        | Role::Move
        | Role::Connect
        | Role::Execute
        | Role::Set
        | Role::Name => true,
    }
}
