//! Which characters can hide or move text.
//!
//! Decided by general category, so that what Unicode adds later is refused until the tables know
//! it; the lists here are the exceptions in both directions.

use unicode_properties::{
    GeneralCategory, GeneralCategoryGroup as Group, UnicodeGeneralCategory as _,
};

use super::removed::Hidden;

/// What becomes of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Kept.
    Plain,
    /// Kept as a newline.
    LineBreak,
    /// A joiner or variation selector: kept alone, where its neighbours need it.
    Helper(Hidden),
    /// Removed.
    Gone(Hidden),
}

pub(super) fn class(c: char) -> Class {
    match c {
        _ if is_common(c) => Class::Plain,
        '\u{2028}' | '\u{2029}' => Class::LineBreak,
        '\u{200C}' | '\u{200D}' => Class::Helper(Hidden::ZeroWidth),
        _ if is_selector(c) => Class::Helper(Hidden::Selector),
        _ if is_blank_mark(c) => Class::Gone(Hidden::Format),
        _ if is_number_sign(c) => Class::Plain,
        _ if c.general_category_group() != Group::Other => Class::Plain,
        _ => Class::Gone(other(c)),
    }
}

/// Characters that are plain for certain and no marks, most of all honest text: looking into the
/// tables is not worth it. A test compares all of them with the tables.
pub(crate) fn is_common(c: char) -> bool {
    match c {
        ' '..='~' | '\n' | '\t' => true,
        // Latin, Cyrillic.
        '\u{A0}'..='\u{AC}' | '\u{AE}'..='\u{24F}' | '\u{400}'..='\u{482}' => true,
        // Arabic, Devanagari, Thai letters; dashes, quotes, bullets.
        '\u{620}'..='\u{64A}' | '\u{904}'..='\u{939}' | '\u{E01}'..='\u{E30}' => true,
        '\u{2010}'..='\u{2027}' => true,
        // Kana, ideographs, Hangul, full-width ASCII.
        '\u{3001}'..='\u{3029}' | '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' => true,
        '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{FF01}'..='\u{FF5E}' => true,
        // Emoji.
        '\u{1F300}'..='\u{1F64F}' => true,
        _ => false,
    }
}

/// The sort of a character of category Other: none of them shows anything.
fn other(c: char) -> Hidden {
    match c {
        _ if c.is_control() => Hidden::Control,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' => Hidden::Direction,
        '\u{2066}'..='\u{2069}' => Hidden::Direction,
        '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' => Hidden::ZeroWidth,
        '\u{E0000}'..='\u{E007F}' => Hidden::Tag,
        '\u{E000}'..='\u{F8FF}' | '\u{F0000}'.. => Hidden::PrivateUse,
        _ if c.general_category() == GeneralCategory::Format => Hidden::Format,
        _ => Hidden::Unassigned,
    }
}

/// Variation selectors, Mongolian ones included.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
        || matches!(c, '\u{180B}'..='\u{180D}' | '\u{180F}')
}

/// Letters and marks that show nothing: grapheme joiner, fillers, inherent vowels.
pub(crate) fn is_blank_mark(c: char) -> bool {
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
pub(crate) fn is_invisible(c: char) -> bool {
    c == '\n'
        || c == '\t'
        || class(c) != Class::Plain
        || c == '\u{2800}'
        || (c != ' ' && is_blank(c))
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() && c.general_category() == GeneralCategory::SpaceSeparator
}

/// Whether it would sit on the character before it.
pub(crate) fn is_mark(c: char) -> bool {
    c >= '\u{300}' && c.general_category_group() == Group::Mark
}
