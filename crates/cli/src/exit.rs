//! How the program ends: 0 ok, 1 findings or failed, 2 usage or bad manifest, 3 denied,
//! 5 environment or upstream.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

/// An exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Code(u8);

pub(crate) const OK: Code = Code(0);
pub(crate) const FAILED: Code = Code(1);
pub(crate) const USAGE: Code = Code(2);
pub(crate) const DENIED: Code = Code(3);
pub(crate) const ENVIRONMENT: Code = Code(5);

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code.0)
    }
}

/// Why a command ended badly, and with which code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    message: String,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// Something about this machine, with the whole chain of causes.
    pub(crate) fn environment(error: &(dyn Error + 'static)) -> Self {
        Self::new(ENVIRONMENT, chain(error))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// An error and its causes, on one line.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
