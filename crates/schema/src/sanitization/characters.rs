//! Which characters can hide or move text.
//!
//! Decided by general category, so that what Unicode adds later is refused until the tables know
//! it; the lists here are the exceptions in both directions.

use unicode_properties::{
    GeneralCategory, GeneralCategoryGroup as Group, UnicodeGeneralCategory as _,
};

/// What becomes of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Kept.
    Plain,
    /// Kept as a newline.
    LineBreak,
    /// A joiner or variation selector: kept alone, where its neighbours need it.
    Helper,
    /// Removed.
    Gone,
}

pub(super) fn class(c: char) -> Class {
    match c {
        ' '..='~' | '\n' | '\t' => Class::Plain,
        '\u{2028}' | '\u{2029}' => Class::LineBreak,
        '\u{200C}' | '\u{200D}' => Class::Helper,
        _ if is_selector(c) => Class::Helper,
        _ if is_blank_mark(c) => Class::Gone,
        _ if is_number_sign(c) => Class::Plain,
        _ if c.general_category_group() == Group::Other => Class::Gone,
        _ => Class::Plain,
    }
}

/// Variation selectors, Mongolian ones included.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
        || matches!(c, '\u{180B}'..='\u{180D}' | '\u{180F}')
}

/// Letters and marks that show nothing: grapheme joiner, fillers, inherent vowels.
fn is_blank_mark(c: char) -> bool {
    matches!(
        c,
        '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{3164}'
    ) || matches!(c, '\u{FFA0}' | '\u{16FE4}')
}

/// Signs that span the digits after them: of category Format and yet visible.
fn is_number_sign(c: char) -> bool {
    matches!(
        c,
        '\u{600}'..='\u{605}' | '\u{6DD}' | '\u{70F}' | '\u{890}' | '\u{891}'
    ) || matches!(c, '\u{8E2}' | '\u{110BD}' | '\u{110CD}')
}

/// Whether the helper does its work here: a joiner between letters of a joining script, a
/// selector after a character that has variants.
pub(super) fn is_needed(helper: char, before: Option<char>, after: Option<char>) -> bool {
    let Some(base) = before else { return false };
    match helper {
        '\u{200C}' | '\u{200D}' => joins(base) && after.is_some_and(joins),
        '\u{180B}'..='\u{180F}' => matches!(base, '\u{1820}'..='\u{18AA}'),
        '\u{FE00}'..='\u{FE02}' if is_ideograph(base) => true,
        '\u{FE00}'..='\u{FE0F}' => has_emoji_form(base),
        _ => is_ideograph(base),
    }
}

/// Letters and marks of the scripts that write with joiners: Arabic and its kin, the Indic
/// scripts, Tibetan, Myanmar, Khmer, Mongolian.
fn joins(c: char) -> bool {
    let script = matches!(c, '\u{600}'..='\u{DFF}' | '\u{F00}'..='\u{109F}')
        || matches!(c, '\u{1780}'..='\u{18AF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}');
    script && matches!(c.general_category_group(), Group::Letter | Group::Mark)
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

fn has_emoji_form(c: char) -> bool {
    let sign = matches!(
        c.general_category_group(),
        Group::Symbol | Group::Punctuation
    );
    sign || c.is_ascii_digit() || c == '\u{2139}'
}

/// Whether a person would see nothing, or a plain blank: what a display must spell out.
pub(super) fn is_invisible(c: char) -> bool {
    c == '\n'
        || c == '\t'
        || class(c) != Class::Plain
        || c == '\u{2800}'
        || (c != ' ' && c.general_category() == GeneralCategory::SpaceSeparator)
}

/// Whether it would sit on the character before it.
pub(super) fn is_mark(c: char) -> bool {
    c.general_category_group() == Group::Mark
}
