//! The sections that need no other: tools, spawn, approvals, people, tests.

use std::time::Duration;

use tipstaff_approval::Terms;
use tipstaff_host::{Directory, PersonFacts};
use tipstaff_registry::{ProfileBook, ProfileError, ProfilePatch};
use tipstaff_schema::{NamePattern, Person};
use tipstaff_spawn::{Sandbox, SpawnSettings, SpawnTool};

use crate::document::Node;
use crate::limits::duration;
use crate::load::{Loader, chain};
use crate::manifest::Hold;
use crate::problem::{Place, Problem};
use crate::section;
use crate::tests_in_policy::PolicyTest;
use crate::wire::{ApprovalsWire, PersonWire, SandboxWire, SpawnWire, TestWire};

impl Loader {
    pub(crate) fn profiles(&mut self) -> (ProfileBook, Vec<(NamePattern, ProfilePatch)>) {
        let (mut patches, mut places) = (Vec::new(), Vec::new());
        for (key, node) in self
            .root
            .child("tools")
            .map(Node::entries)
            .unwrap_or_default()
        {
            let pattern = NamePattern::new(key.text.clone())
                .map_err(|e| Problem::new(&self.file, key.place, e.to_string()));
            match (pattern, section::read::<ProfilePatch>(&self.file, node)) {
                (Ok(pattern), Ok(patch)) => {
                    patches.push((pattern, patch));
                    places.push(key.place);
                }
                (pattern, patch) => self
                    .problems
                    .extend(pattern.err().into_iter().chain(patch.err())),
            }
        }
        match ProfileBook::new(patches.clone()) {
            Ok(book) => (book, patches),
            Err(errors) => {
                for error in errors {
                    let index = match &error {
                        ProfileError::CriticalAllow { index, .. }
                        | ProfileError::OpenAllow { index, .. }
                        | ProfileError::Pointer { index, .. }
                        | ProfileError::Value { index, .. } => Some(*index),
                        _ => None,
                    };
                    let place = index
                        .and_then(|index| places.get(index))
                        .copied()
                        .unwrap_or(Place::START);
                    self.say(place, chain(&error));
                }
                (ProfileBook::default(), patches)
            }
        }
    }

    pub(crate) fn spawn(&mut self) -> Option<SpawnTool> {
        let wire = self.section::<SpawnWire>("spawn")?;
        let mut settings = SpawnSettings::default();
        settings.no_shell = wire.no_shell;
        if let Some(path) = wire.path {
            settings.path = path;
        }
        settings.sandbox = match wire.sandbox {
            Some(SandboxWire::Landlock) => Sandbox::Landlock,
            Some(SandboxWire::Off) | None => Sandbox::Off,
        };
        match SpawnTool::with_targets(settings, wire.placements.into_keys()) {
            Ok(tool) => Some(tool),
            Err(error) => {
                let place = self.root.place_of(["spawn"]);
                self.say(place, chain(&error));
                None
            }
        }
    }

    pub(crate) fn approvals(&mut self) -> (Terms, Hold) {
        let wire = self
            .section::<ApprovalsWire>("approvals")
            .unwrap_or_default();
        let mut terms = Terms {
            audience: wire.audience,
            four_eyes: wire.four_eyes,
            ..Terms::default()
        };
        terms.expire = self
            .duration("expire", wire.expire.as_deref())
            .unwrap_or(terms.expire);
        terms.use_within = self
            .duration("use_within", wire.use_within.as_deref())
            .unwrap_or(terms.use_within);
        if let Some(quorum) = wire.quorum {
            if quorum == 0 {
                let place = self.root.place_of(["approvals", "quorum"]);
                self.say(place, "a quorum of 0 would approve by itself").fix =
                    Some("write 1 or more".to_owned());
            }
            terms.quorum = quorum;
        }
        (terms, Hold::Auto)
    }

    fn duration(&mut self, key: &str, text: Option<&str>) -> Option<Duration> {
        let read = duration(text?);
        if read.is_none() {
            let place = self.root.place_of(["approvals", key]);
            let message = format!("`{key}` is no duration between 1s and 366d");
            self.say(place, message).fix = Some("write one such as `10m`".to_owned());
        }
        read
    }

    pub(crate) fn people(&mut self) -> Directory {
        let people = self.map::<Person, PersonWire>("people");
        let facts = people.into_iter().map(
            |(
                person,
                PersonWire {
                    roles,
                    password_hash,
                },
            )| {
                (
                    person,
                    PersonFacts {
                        roles,
                        password_hash,
                    },
                )
            },
        );
        Directory::new(facts.collect())
    }

    pub(crate) fn tests(&mut self) -> Vec<PolicyTest> {
        let mut tests = Vec::new();
        for node in self
            .root
            .child("tests")
            .map(Node::items)
            .unwrap_or_default()
        {
            let read = section::read::<TestWire>(&self.file, node).and_then(|wire| {
                let at = |name| node.place_of([name]);
                let mut call = wire.call;
                if let Some(text) = &wire.at {
                    let time = text.parse().map_err(|_| {
                        Problem::new(&self.file, at("at"), "`at` is no RFC 3339 time")
                    })?;
                    call.at = Some(time);
                }
                let file = self.file.clone();
                Ok(PolicyTest {
                    call,
                    expect: wire.expect,
                    by: wire.by,
                    place: node.place,
                    file,
                })
            });
            match read {
                Ok(test) => tests.push(test),
                Err(problem) => self.problems.push(problem),
            }
        }
        tests
    }
}
