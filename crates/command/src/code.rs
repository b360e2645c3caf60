//! Small programs in other languages that stand as arguments: `sed` scripts, `awk` programs, `jq`
//! filters. Says only whether one surely does no more than select, compute and print.
//!
//! What two versions of the language read differently is answered with no.

mod awk;
mod sed;

pub(crate) use awk::is_plain_awk;
pub(crate) use sed::is_plain_sed;

/// Whether a `jq` filter neither looks at the environment nor loads a module.
pub(crate) fn is_plain_jq(code: &str) -> bool {
    let mut before = [' ', ' '];
    let mut word = String::new();
    let mut start = before;
    for c in code.chars().chain([' ']) {
        if c.is_ascii_alphanumeric() || c == '_' {
            if word.is_empty() {
                start = before;
            }
            word.push(c);
        } else {
            // `.env` is a field, `..env` is not.
            let field = start[1] == '.' && start[0] != '.';
            let loads = ["env", "ENV", "import", "include", "modulemeta"].contains(&word.as_str());
            if loads && !field {
                return false;
            }
            word.clear();
        }
        before = [before[1], c];
    }
    !code.is_empty()
}
