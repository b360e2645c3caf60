//! How large a token is on the wire, without writing it where that can be told at a glance.
//!
//! A token made in code has no text yet; its size still has a limit, and most tokens are so far
//! below it that adding up the lengths is enough.

use serde_json::Value;

use crate::{Constraint, IntentToken, Provenance};

/// The most bytes that one byte of text takes: a control as `\u001f`.
const WORST: usize = 6;
/// More than what any number, name or mark around a value takes.
const AROUND: usize = 64;

/// Whether the token's compact text has no more bytes than that. A token that has no text is
/// never small enough.
pub(crate) fn fits(token: &IntentToken, max_bytes: usize) -> bool {
    let mut bound = Bound(16 * AROUND);
    bound.token(token);
    bound.0 <= max_bytes || serde_json::to_vec(token).is_ok_and(|text| text.len() <= max_bytes)
}

/// No less than the size of what it was shown.
struct Bound(usize);

impl Bound {
    fn token(&mut self, token: &IntentToken) {
        let IntentToken {
            schema,
            id: _,
            parent_id: _,
            verb,
            object,
            modifiers,
            required_capabilities,
            provenance,
            confidence: _,
            constraints,
            namespace,
        } = token;
        for text in [
            schema,
            &verb.namespace,
            &verb.action,
            &object.kind,
            namespace,
        ] {
            self.text(text);
        }
        self.value(&object.value);
        modifiers.iter().for_each(|(key, value)| {
            self.text(key);
            self.value(value);
        });
        required_capabilities.iter().for_each(|tag| self.text(tag));
        self.provenance(provenance);
        constraints
            .iter()
            .for_each(|constraint| self.constraint(constraint));
    }

    fn text(&mut self, text: &str) {
        self.0 = self
            .0
            .saturating_add(text.len().saturating_mul(WORST))
            .saturating_add(AROUND);
    }

    fn value(&mut self, value: &Value) {
        self.0 = self.0.saturating_add(AROUND);
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => self.0 = self.0.saturating_add(length(number)),
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter().for_each(|item| self.value(item)),
            Value::Object(members) => members.iter().for_each(|(key, member)| {
                self.text(key);
                self.value(member);
            }),
        }
    }

    fn provenance(&mut self, provenance: &Provenance) {
        let texts = match provenance {
            Provenance::User {
                raw_input,
                ui_origin,
                ts: _,
            } => [Some(raw_input), ui_origin.as_ref(), None],
            Provenance::Llm {
                model,
                call_id,
                raw_input,
                ts: _,
            } => [Some(model), Some(call_id), raw_input.as_ref()],
            Provenance::Reflex {
                trigger,
                raw_input,
                ts: _,
            } => [Some(trigger), raw_input.as_ref(), None],
        };
        texts.into_iter().flatten().for_each(|text| self.text(text));
    }

    fn constraint(&mut self, constraint: &Constraint) {
        self.0 = self.0.saturating_add(AROUND);
        match constraint {
            Constraint::PathExists { path: text }
            | Constraint::NetReachable {
                host: text,
                port: _,
            }
            | Constraint::EnvSet { name: text } => self.text(text),
            Constraint::UserPresent => {}
            Constraint::Custom { name, args } => {
                self.text(name);
                self.value(args);
            }
        }
    }
}

/// The length of a number's text, where it may be more than an integer's: a linked crate may make
/// `serde_json` hold numbers of any length.
fn length(number: &serde_json::Number) -> usize {
    if number.is_i64() || number.is_u64() {
        0
    } else {
        number.to_string().len()
    }
}
