//! Helpers: a manifest from a text, and problems as `line:column: message; fix`.

use std::path::Path;

use crate::{Manifest, Problem};

pub(super) fn load(text: &str) -> Manifest {
    Manifest::from_text(Path::new("tipstaff.yaml"), text)
        .unwrap_or_else(|refused| panic!("{}", refused.render()))
}

fn line(problem: &Problem) -> String {
    problem
        .to_string()
        .trim_start_matches("tipstaff.yaml:")
        .to_owned()
}

/// Every problem of a text that is refused, in order.
pub(super) fn problems(text: &str) -> Vec<String> {
    match Manifest::from_text(Path::new("tipstaff.yaml"), text) {
        Ok(_) => Vec::new(),
        Err(refused) => {
            if std::env::var_os("TIPSTAFF_SHOW").is_some() {
                std::io::Write::write_all(&mut std::io::stderr(), refused.render().as_bytes())
                    .unwrap();
            }
            refused.problems.0.iter().map(line).collect()
        }
    }
}

/// The one problem of a text that is refused stands at this place and says all of this.
#[track_caller]
pub(super) fn refused(text: &str, place: &str, says: &[&str]) {
    let found = problems(text);
    let [problem] = found.as_slice() else {
        panic!("one problem, not {found:#?}")
    };
    assert!(
        problem.starts_with(&format!("{place}: error: ")),
        "{problem}"
    );
    for part in says {
        assert!(problem.contains(part), "`{part}` is not in: {problem}");
    }
}
