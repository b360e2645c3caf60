//! A compiled schema: checks parameters before policy sees them.
//!
//! Nothing is ever fetched, work is bounded, and a key that the schema does not declare is refused
//! even where the schema forgets to say so. Formats are not checked: JSON Schema calls them
//! annotations, and what acts on a path or URL is judged by its canonical form anyway.

use jsonschema::error::ValidationErrorKind;
use jsonschema::paths::Location;
use jsonschema::{Keyword, PatternOptions, ReferencingError, Retrieve, Uri, ValidationError};
use serde_json::{Map, Value, json};
use tipstaff_schema::ResourceKind;

use crate::bounds;
use crate::error::SchemaError;
use crate::param_error::{self, ParamError};
use crate::params;
use crate::patterns;
use crate::shape::Shapes;
use crate::show;
use crate::wire::UnknownParams;
use crate::work::Work;

/// The most faults that one check reports.
const MAX_ERRORS: usize = 20;
/// Steps that one match of one pattern may take back. Source: a fiftieth of the library's default.
const BACKTRACK_LIMIT: usize = 20_000;

/// A compiled schema. Cheap to share, never changes.
#[derive(Debug)]
pub struct Validator {
    compiled: jsonschema::Validator,
    work: Work,
    shapes: Option<Shapes>,
    object_only: bool,
}

/// Refuses every reference that is not in the document.
struct Nothing;

impl Retrieve for Nothing {
    fn retrieve(&self, _: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err("only references inside the document are followed".into())
    }
}

impl Validator {
    /// Compiles the schema of parameters: they must be an object, with `unknown` for its other keys.
    ///
    /// # Errors
    /// [`SchemaError`] when the schema is invalid, too large, or refers to something outside itself.
    pub fn compile(schema: &Value, unknown: UnknownParams) -> Result<Self, SchemaError> {
        let mut validator = Self::compile_output(schema)?;
        validator.object_only = true;
        validator.shapes = match unknown {
            UnknownParams::Refuse => Some(Shapes::of(schema)?),
            UnknownParams::Allow => None,
        };
        Ok(validator)
    }

    /// Compiles the schema of answers: any value may come, and undeclared keys are the server's business.
    ///
    /// # Errors
    /// As [`Validator::compile`].
    pub fn compile_output(schema: &Value) -> Result<Self, SchemaError> {
        bounds::DEFINITION
            .count(schema)
            .map_err(|(what, limit)| SchemaError::TooLarge { what, limit })?;
        let work = Work::of(schema)?;
        let compiled = options(patterns::share(schema))
            .build(schema)
            .map_err(|error| schema_error(&error))?;
        Ok(Self {
            compiled,
            work,
            shapes: None,
            object_only: false,
        })
    }

    /// Checks a value: all faults, at most 20.
    ///
    /// # Errors
    /// The faults, by pointer; never empty.
    pub fn check(&self, value: &Value) -> Result<(), Vec<ParamError>> {
        if self.object_only && !value.is_object() {
            return Err(vec![fault(show::value(value), "an object")]);
        }
        let size = match bounds::PARAMS.count(value) {
            Ok(size) => size,
            Err((what, limit)) => {
                return Err(vec![fault(
                    show::value(value),
                    &format!("{what} to be at most {limit}"),
                )]);
            }
        };
        if !self.work.is_bounded(value, size) {
            return Err(vec![fault(
                show::value(value),
                "a value that the schema can judge in bounded work",
            )]);
        }
        let mut errors = Vec::new();
        if let Some(shapes) = &self.shapes {
            shapes.check(value, MAX_ERRORS, &mut errors);
        }
        if !self.compiled.is_valid(value) {
            if self.work.is_tellable(value, size) {
                let faults = self.compiled.iter_errors(value);
                let new: Vec<ParamError> = faults
                    .filter(|fault| !is_told(fault, &errors))
                    .take(MAX_ERRORS)
                    .map(|fault| ParamError::of(&fault))
                    .collect();
                errors.extend(new);
            } else {
                errors.push(fault(
                    show::value(value),
                    "a value that fits the schema (it has too many alternatives to say where)",
                ));
            }
        }
        if errors.is_empty() {
            return Ok(());
        }
        errors.sort();
        errors.dedup();
        errors.truncate(MAX_ERRORS);
        Err(errors)
    }
}

/// Whether the fault is about undeclared keys of which each was told already, with its value.
fn is_told(fault: &ValidationError<'_>, told: &[ParamError]) -> bool {
    let at = fault.instance_path().as_str();
    let is_told = |key: &String| {
        told.iter()
            .any(|error| error.pointer == show::pointer(at, key))
    };
    matches!(fault.kind(), ValidationErrorKind::AdditionalProperties { unexpected } if unexpected.iter().all(is_told))
}

fn fault(found: String, wanted: &str) -> ParamError {
    ParamError {
        pointer: String::new(),
        found,
        wanted: wanted.to_owned(),
    }
}

/// How schemas are compiled, with so much memory for each pattern.
pub(crate) fn options<'i>(pattern_bytes: usize) -> jsonschema::ValidationOptions<'i> {
    jsonschema::options()
        .with_retriever(Nothing)
        .should_validate_formats(false)
        .with_pattern_options(
            PatternOptions::fancy_regex()
                .backtrack_limit(BACKTRACK_LIMIT)
                .size_limit(pattern_bytes),
        )
        .with_keyword(params::MAX_BYTES, max_bytes)
        .with_keyword(params::KIND, kind)
}

/// `x-tipstaff-max-bytes`: a text of at most so many bytes. `u64::MAX` where the limit is no number,
/// which only a schema that is not ours can hold.
struct MaxBytes(u64);

impl<'i> Keyword<'i> for MaxBytes {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        if Keyword::is_valid(self, value) {
            return Ok(());
        }
        Err(ValidationError::custom(format!("at most {} bytes", self.0)))
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        value
            .as_str()
            .is_none_or(|text| text.len() as u64 <= self.0)
    }
}

/// `x-tipstaff-kind`: a text with a canonical form of its kind.
struct HasForm(ResourceKind);

impl<'i> Keyword<'i> for HasForm {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        if Keyword::is_valid(self, value) {
            return Ok(());
        }
        let what = if self.0 == ResourceKind::Url {
            "an absolute URL"
        } else {
            "a path of a file or folder"
        };
        Err(ValidationError::custom(what))
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        value
            .as_str()
            .is_none_or(|text| params::has_form(self.0, text))
    }
}

type Built<'a> = Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>>;

fn max_bytes<'a>(_: &'a Map<String, Value>, limit: &'a Value, _: Location) -> Built<'a> {
    Ok(Box::new(MaxBytes(limit.as_u64().unwrap_or(u64::MAX))))
}

fn kind<'a>(_: &'a Map<String, Value>, kind: &'a Value, _: Location) -> Built<'a> {
    match kind.as_str() {
        Some("path") => Ok(Box::new(HasForm(ResourceKind::Path))),
        Some("url") => Ok(Box::new(HasForm(ResourceKind::Url))),
        _ => Err(ValidationError::schema("`path` or `url`")),
    }
}

fn schema_error(error: &ValidationError<'_>) -> SchemaError {
    if let ValidationErrorKind::Referencing(inner) = error.kind() {
        return SchemaError::Outside {
            reference: reference_of(inner),
        };
    }
    SchemaError::Invalid {
        pointer: show::name(error.instance_path().as_str()),
        found: show::value(error.instance()),
        wanted: param_error::wanted(error.kind()),
    }
}

/// The part of a reference that cannot be followed, as far as the library tells.
fn reference_of(error: &ReferencingError) -> String {
    match error {
        ReferencingError::Unretrievable { uri, .. }
        | ReferencingError::CircularMetaschema { uri } => show::name(uri),
        ReferencingError::PointerToNowhere { pointer }
        | ReferencingError::InvalidPercentEncoding { pointer, .. }
        | ReferencingError::InvalidArrayIndex { pointer, .. } => show::name(&format!("#{pointer}")),
        ReferencingError::NoSuchAnchor { anchor } | ReferencingError::InvalidAnchor { anchor } => {
            show::name(&format!("#{anchor}"))
        }
        ReferencingError::UnknownSpecification { specification } => show::name(specification),
        ReferencingError::InvalidUri(error) => show::name(&error.to_string()),
    }
}

/// A pattern over keys, with the same bounds as any other.
pub(crate) fn key_pattern(
    pattern: &str,
    bytes: usize,
) -> Result<jsonschema::Validator, SchemaError> {
    options(bytes)
        .build(&json!({ "pattern": pattern }))
        .map_err(|error| schema_error(&error))
}
