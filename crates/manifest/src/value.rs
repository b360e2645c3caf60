//! `${env:NAME}` and `${file:path}`: secrets that are named in the manifest and read when they are used.
//!
//! Nothing else is interpolated, and checking a manifest resolves none of them.

use std::path::Path;

/// A secret that cannot be read. Names it, never shows it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// The variable is not set, or is no text.
    #[error("the environment variable `{name}` is not set")]
    Env {
        /// Its name.
        name: String,
    },
    /// The file cannot be read.
    #[error("the file `{path}` cannot be read")]
    File {
        /// Its path.
        path: String,
        /// Why not.
        source: std::io::Error,
    },
    /// It is neither form, or has no end.
    #[error("`{form}` is no secret: write `${{env:NAME}}` or `${{file:path}}`")]
    Form {
        /// The text from `${` on.
        form: String,
    },
}

/// The text with every `${…}` replaced; files are relative to `base`, and lose one trailing newline.
///
/// # Errors
/// [`SecretError`] for the first that cannot be read.
pub fn resolve(text: &str, base: &Path) -> Result<String, SecretError> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let form = || SecretError::Form {
            form: format!("${{{}", after.split('}').next().unwrap_or_default()),
        };
        let (inside, behind) = after.split_once('}').ok_or_else(form)?;
        out.push_str(before);
        match inside.split_once(':') {
            Some(("env", name)) => {
                out.push_str(&std::env::var(name).map_err(|_| SecretError::Env {
                    name: name.to_owned(),
                })?);
            }
            Some(("file", path)) => {
                let read = std::fs::read_to_string(base.join(path));
                let text = read.map_err(|source| SecretError::File {
                    path: path.to_owned(),
                    source,
                })?;
                out.push_str(text.strip_suffix('\n').unwrap_or(&text));
            }
            _ => return Err(form()),
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}
