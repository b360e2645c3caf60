//! What was wrong with a call's parameters, one line each: where, what was there, what was wanted.
//!
//! Callers are often models: the line must be enough to mend the call. Values are cut and cleaned.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};

use crate::show;

/// One fault in a call's parameters. Displays as one line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("`{pointer}`: found {found}, wanted {wanted}")]
pub struct ParamError {
    /// JSON pointer into the parameters; empty for the whole.
    pub pointer: String,
    /// What stands there, cut and cleaned.
    pub found: String,
    /// What would be valid, cut and cleaned.
    pub wanted: String,
}

impl ParamError {
    pub(crate) fn of(error: &ValidationError<'_>) -> Self {
        let pointer = show::name(error.instance_path().as_str());
        let missing = matches!(error.kind(), Kind::Required { .. });
        let found = if missing {
            "no such key".to_owned()
        } else {
            show::value(error.instance())
        };
        Self {
            pointer,
            found,
            wanted: wanted(error.kind()),
        }
    }
}

/// What a keyword asks for, in words.
#[expect(
    clippy::too_many_lines,
    reason = "a line or two for each keyword of JSON Schema, and no more"
)]
pub(crate) fn wanted(kind: &Kind) -> String {
    let list = |names: &[String]| {
        names
            .iter()
            .map(|name| format!("`{}`", show::name(name)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match kind {
        Kind::Type {
            kind: TypeKind::Single(one),
        } => article(&one.to_string()),
        Kind::Type {
            kind: TypeKind::Multiple(set),
        } => set
            .iter()
            .map(|one| article(&one.to_string()))
            .collect::<Vec<_>>()
            .join(" or "),
        Kind::Required { property } => format!("the key {}", show::value(property)),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!(
                "no key that the schema does not declare: {}",
                list(unexpected)
            )
        }
        Kind::Enum { options } => match options.as_array() {
            Some(options) => format!(
                "one of {}",
                options
                    .iter()
                    .take(20)
                    .map(show::value)
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
            None => "a listed value".to_owned(),
        },
        Kind::Constant { expected_value } => show::value(expected_value),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::MaxLength { limit } => format!("at most {limit} characters"),
        Kind::MinLength { limit } => format!("at least {limit} characters"),
        Kind::MaxItems { limit } => format!("at most {limit} items"),
        Kind::AdditionalItems { limit } => format!("at most {limit} items"),
        Kind::MinItems { limit } => format!("at least {limit} items"),
        Kind::MaxProperties { limit } => format!("at most {limit} keys"),
        Kind::MinProperties { limit } => format!("at least {limit} keys"),
        Kind::UniqueItems => "items that all differ".to_owned(),
        Kind::UnevaluatedItems { .. } => "no further items".to_owned(),
        Kind::Contains => "an item that fits the schema's `contains`".to_owned(),
        Kind::Pattern { pattern } => format!("a text that matches `{}`", show::name(pattern)),
        Kind::Format { format } => format!("a text of the format `{}`", show::name(format)),
        Kind::ContentEncoding { content_encoding } => {
            format!("a text in the encoding `{}`", show::name(content_encoding))
        }
        Kind::ContentMediaType { content_media_type } => {
            format!("a text of the type `{}`", show::name(content_media_type))
        }
        Kind::PropertyNames { error } => format!("keys that fit: {}", wanted(error.kind())),
        Kind::Custom { message, .. } => message.clone(),
        Kind::FalseSchema => "nothing at all".to_owned(),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => alternatives(context),
        Kind::OneOfMultipleValid { .. } => {
            "a value that fits exactly one of the schema's alternatives".to_owned()
        }
        Kind::Not { .. } => "a value that the schema does not exclude".to_owned(),
        Kind::FromUtf8 { .. } => "encoded text that is UTF-8".to_owned(),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            "a text whose match with the schema's `pattern` can be decided in bounded time"
                .to_owned()
        }
        Kind::Referencing(_) => "a schema whose references can be followed".to_owned(),
    }
}

/// What each alternative first misses; four are enough for a line.
fn alternatives(context: &[Vec<ValidationError<'_>>]) -> String {
    let first = context
        .iter()
        .filter_map(|faults| faults.first())
        .take(4)
        .map(|fault| {
            // Alternatives within alternatives would make more than a line.
            let more = matches!(
                fault.kind(),
                Kind::AnyOf { .. } | Kind::OneOfNotValid { .. }
            );
            if more {
                "a value of more alternatives".to_owned()
            } else {
                wanted(fault.kind())
            }
        });
    format!(
        "one of {} alternatives: {}",
        context.len(),
        first.collect::<Vec<_>>().join(", or ")
    )
}

fn article(kind: &str) -> String {
    match kind {
        "integer" | "array" | "object" => format!("an {kind}"),
        "null" => kind.to_owned(),
        _ => format!("a {kind}"),
    }
}
