//! The ids of a client's open requests.
//!
//! The SDK reads an id into a number or a text and would write it back in its own spelling; here it
//! sees our numbers only, and each answer carries the very bytes that the client sent.

use std::collections::HashMap;

use serde_json::Value;
use tipstaff_gate::Cancel;

/// Requests of one client that may be open at once.
pub(crate) const MAX_OPEN: usize = 256;

#[derive(Debug)]
struct Open {
    raw: Vec<u8>,
    value: Value,
    cancel: Cancel,
}

/// The open requests, by our number.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    last: i64,
    open: HashMap<i64, Open>,
}

impl Ids {
    /// Takes a request in.
    ///
    /// # Errors
    /// A sentence when the id is none, or open already, or too many are.
    pub(crate) fn open(&mut self, raw: Vec<u8>, value: Value) -> Result<(i64, Cancel), String> {
        let is_id =
            value.is_string() || raw.iter().enumerate().all(|(at, byte)| is_digit(at, *byte));
        if !is_id {
            return Err("an id is a text or a whole number".to_owned());
        }
        if self.open.values().any(|open| open.value == value) {
            return Err("the id is that of a request that is still open".to_owned());
        }
        if self.open.len() >= MAX_OPEN {
            return Err(format!("more than {MAX_OPEN} requests are open"));
        }
        self.last += 1;
        let cancel = Cancel::new();
        self.open.insert(
            self.last,
            Open {
                raw,
                value,
                cancel: cancel.clone(),
            },
        );
        Ok((self.last, cancel))
    }

    /// The bytes of the id of an answered request; it is open no more.
    pub(crate) fn close(&mut self, ours: i64) -> Option<Vec<u8>> {
        self.open.remove(&ours).map(|open| open.raw)
    }

    /// The client takes a request back. Returns our number of it; an unknown one changes nothing.
    pub(crate) fn cancel(&mut self, value: &Value) -> Option<i64> {
        let ours = self
            .open
            .iter()
            .find(|(_, open)| open.value == *value)
            .map(|(ours, _)| *ours)?;
        self.open.remove(&ours)?.cancel.cancel();
        Some(ours)
    }
}

fn is_digit(at: usize, byte: u8) -> bool {
    byte.is_ascii_digit() || (at == 0 && byte == b'-')
}
