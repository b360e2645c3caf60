//! Visits the tree that the grammar gives, in the order in which the shell would run it.
//!
//! Carries the working folder along: `cd` moves it where it surely succeeded, and where it may or may
//! not have, the folder is no longer known.

use brush_parser::ast::BinaryPredicate as Binary;
use brush_parser::ast::{
    AndOr, AndOrList, CaseClauseCommand, Command, CompoundCommand, CompoundList, ExtendedTestExpr,
    IfClauseCommand, Pipeline, SeparatorOperator, UnaryPredicate, UnexpandedArithmeticExpr,
    Word as RawWord,
};

use super::build::Builder;
use super::open::changes_what_runs;
use super::words;
use crate::{UnknownKind, effects};

/// The working folder, where it is known.
pub(crate) type Folder = Option<String>;

impl Builder<'_> {
    pub(crate) fn list(&mut self, list: &CompoundList, folder: Folder) -> Folder {
        self.compound |= list.0.len() > 1;
        let mut now = folder;
        for item in &list.0 {
            self.compound |= matches!(item.1, SeparatorOperator::Async);
            let after = self.and_or(&item.0, &now);
            now = match item.1 {
                SeparatorOperator::Async => now,
                SeparatorOperator::Sequence if after == now => now,
                // Whether its `cd` succeeded is not known behind `;`.
                SeparatorOperator::Sequence => None,
            };
        }
        now
    }

    fn and_or(&mut self, list: &AndOrList, folder: &Folder) -> Folder {
        self.compound |= !list.additional.is_empty();
        let mut now = self.pipeline(&list.first, folder.clone());
        for next in &list.additional {
            now = match next {
                AndOr::And(pipeline) => self.pipeline(pipeline, now),
                AndOr::Or(pipeline) => {
                    let before = if now == *folder { now } else { None };
                    self.pipeline(pipeline, before)
                }
            };
        }
        now
    }

    fn pipeline(&mut self, pipeline: &Pipeline, folder: Folder) -> Folder {
        self.compound |= pipeline.seq.len() > 1 || pipeline.bang || pipeline.timed.is_some();
        match pipeline.seq.as_slice() {
            [command] => self.command(command, folder),
            commands => {
                for command in commands {
                    self.command(command, folder.clone());
                }
                folder
            }
        }
    }

    fn command(&mut self, command: &Command, folder: Folder) -> Folder {
        match command {
            Command::Simple(simple) => self.simple(simple, &folder),
            Command::Compound(compound, redirects) => {
                self.compound = true;
                let first = self.plan.commands.len();
                let after = self.compound(compound, folder.clone());
                self.redirects(redirects.as_ref(), &folder, first);
                after
            }
            Command::Function(function) => {
                self.compound = true;
                self.repeats = true;
                let first = self.plan.commands.len();
                if ["cd", "pushd", "popd", "command", "builtin"]
                    .contains(&function.fname.value.as_str())
                {
                    self.unknown(UnknownKind::Program, &function.fname.value);
                }
                // Where it will run is not known.
                self.compound(&function.body.0, None);
                self.redirects(function.body.1.as_ref(), &None, first);
                folder
            }
            Command::ExtendedTest(test, redirects) => {
                self.compound = true;
                let first = self.plan.commands.len();
                self.test(&test.expr, &folder);
                self.redirects(redirects.as_ref(), &folder, first);
                folder
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, folder: Folder) -> Folder {
        match compound {
            CompoundCommand::BraceGroup(group) => return self.list(&group.list, folder),
            CompoundCommand::Subshell(shell) => {
                self.list(&shell.list, folder.clone());
            }
            CompoundCommand::Arithmetic(command) => self.arithmetic(&command.expr, &folder),
            CompoundCommand::ArithmeticForClause(clause) => {
                let parts = [&clause.initializer, &clause.condition, &clause.updater];
                parts
                    .into_iter()
                    .flatten()
                    .for_each(|expr| self.arithmetic(expr, &folder));
                return self.looped(&[&clause.body.list], folder);
            }
            CompoundCommand::ForClause(clause) => {
                self.variable(&clause.variable_name);
                for raw in clause.values.iter().flatten() {
                    self.outside(raw, &folder);
                }
                return self.looped(&[&clause.body.list], folder);
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                return self.looped(&[&clause.0, &clause.1.list], folder);
            }
            CompoundCommand::CaseClause(clause) => return self.case(clause, &folder),
            CompoundCommand::IfClause(clause) => return self.branches(clause, folder),
            CompoundCommand::Coprocess(process) => {
                self.unknown(UnknownKind::Syntax, "coproc");
                self.command(&process.body, folder.clone());
            }
        }
        folder
    }

    fn case(&mut self, clause: &CaseClauseCommand, folder: &Folder) -> Folder {
        self.outside(&clause.value, folder);
        let mut same = true;
        for case in &clause.cases {
            case.patterns
                .iter()
                .for_each(|raw| self.outside(raw, folder));
            // A case may run behind another one (`;&`).
            let start = if same { folder.clone() } else { None };
            if let Some(list) = &case.cmd {
                same = self.list(list, start) == *folder && same;
            }
        }
        if same { folder.clone() } else { None }
    }

    fn branches(&mut self, clause: &IfClauseCommand, folder: Folder) -> Folder {
        let inside = self.list(&clause.condition, folder.clone());
        let otherwise = if inside == folder {
            folder.clone()
        } else {
            None
        };
        let mut ends = vec![self.list(&clause.then, inside)];
        for part in clause.elses.iter().flatten() {
            let start = match &part.condition {
                Some(list) => self.list(list, otherwise.clone()),
                None => otherwise.clone(),
            };
            ends.push(self.list(&part.body, start));
        }
        if ends.iter().all(|end| *end == folder) {
            folder
        } else {
            None
        }
    }

    /// A body that may run again: if it moves the folder, it never was known inside.
    fn looped(&mut self, lists: &[&CompoundList], folder: Folder) -> Folder {
        self.repeats = true;
        let moves = lists.iter().any(|list| {
            let text = list.to_string();
            ["cd", "pushd", "popd"]
                .iter()
                .any(|word| text.contains(word))
        });
        let folder = if moves { None } else { folder };
        for list in lists {
            self.list(list, folder.clone());
        }
        folder
    }

    /// A variable that a loop sets.
    fn variable(&mut self, name: &str) {
        self.variables.set(name);
        if !effects::is_own_variable(name) && changes_what_runs(name) {
            self.unknown(UnknownKind::Environment, name);
        }
    }

    fn arithmetic(&mut self, expr: &UnexpandedArithmeticExpr, folder: &Folder) {
        if !words::is_plain_arithmetic(&expr.value) {
            self.unknown(UnknownKind::Arithmetic, &expr.value);
        }
        let read = words::loose(&expr.value);
        self.inside(&read, folder);
    }

    /// A word that is no argument: only what runs inside it counts.
    pub(super) fn outside(&mut self, raw: &RawWord, folder: &Folder) {
        let read = words::word(&raw.value);
        self.inside(&read, folder);
        for &kind in read
            .problems
            .iter()
            .filter(|kind| !matches!(kind, UnknownKind::Expansion | UnknownKind::Glob))
        {
            self.unknown(kind, &raw.value);
        }
    }

    fn test(&mut self, expr: &ExtendedTestExpr, folder: &Folder) {
        match expr {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.test(left, folder);
                self.test(right, folder);
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => {
                self.test(inner, folder);
            }
            ExtendedTestExpr::UnaryTest(predicate, word) => {
                // Their operand is a variable's name, whose index is evaluated.
                let names = [
                    UnaryPredicate::ShellVariableIsSetAndAssigned,
                    UnaryPredicate::ShellVariableIsSetAndNameRef,
                ];
                if names
                    .iter()
                    .any(|name| name.to_string() == predicate.to_string())
                {
                    self.unknown(UnknownKind::Arithmetic, &word.value);
                }
                self.outside(word, folder);
            }
            ExtendedTestExpr::BinaryTest(predicate, left, right) => {
                let evaluates = matches!(
                    predicate,
                    Binary::ArithmeticEqualTo
                        | Binary::ArithmeticNotEqualTo
                        | Binary::ArithmeticLessThan
                        | Binary::ArithmeticLessThanOrEqualTo
                        | Binary::ArithmeticGreaterThan
                        | Binary::ArithmeticGreaterThanOrEqualTo
                );
                for word in [left, right] {
                    if evaluates && !words::is_plain_arithmetic(&word.value) {
                        self.unknown(UnknownKind::Arithmetic, &word.value);
                    }
                    self.outside(word, folder);
                }
            }
        }
    }
}
