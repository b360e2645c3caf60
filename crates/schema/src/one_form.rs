//! Lets a wire type be read from its one JSON form only.
//!
//! Left to itself serde also reads a struct from an array of its fields, a tagged enum from an
//! array that begins with the tag, and a word from an object with that key. Nobody writes those,
//! no schema tells of them, and what looks elsewhere for a key would not find it.

use serde::Deserialize;
use serde::de::{Deserializer, IntoDeserializer as _, Visitor};

/// Reads structs and tagged enums from objects, plain enums from strings, and nothing else.
///
/// An enum of which some variants hold data and none is tagged cannot be read through it.
#[derive(Debug)]
pub struct OneForm<D>(pub D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for OneForm<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        visitor.visit_enum(String::deserialize(self.0)?.into_deserializer())
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// For types that derive under `#[serde(remote = "Self")]`: then the derived functions are the
/// type's own, and the traits are given here. The crate that uses it names `serde` itself.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use tipstaff_schema::one_form;
///
/// #[derive(Debug, Serialize, Deserialize)]
/// #[serde(remote = "Self")]
/// struct Point { x: u8, y: u8 }
/// one_form!(Point);
///
/// assert!(serde_json::from_str::<Point>(r#"{"x":1,"y":2}"#).is_ok());
/// assert!(serde_json::from_str::<Point>("[1,2]").is_err());
/// ```
#[macro_export]
macro_rules! one_form {
    ($($name:ident),+ $(,)?) => {
        $(
            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                    $name::serialize(self, out)
                }
            }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    $name::deserialize($crate::OneForm(from))
                }
            }
        )+
    };
}

/// The same for types that are only read.
#[macro_export]
macro_rules! one_form_read {
    ($($name:ident),+ $(,)?) => {
        $(
            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    $name::deserialize($crate::OneForm(from))
                }
            }
        )+
    };
}
