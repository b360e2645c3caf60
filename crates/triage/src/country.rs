//! Public holidays that are built in, by country: those of the whole nation, as the law gives them.
//!
//! Regional holidays are not in it; they go into the file. A country that is not here is refused.

use crate::holiday::Holiday;

/// The countries that are built in, for error messages.
pub(crate) const KNOWN: &str = "`DE`";

/// Germany: those of all sixteen states, since 1995.
const DE: &[Holiday] = &[
    Holiday::Yearly(1, 1, None),   // Neujahr
    Holiday::Easter(-2),           // Karfreitag
    Holiday::Easter(1),            // Ostermontag
    Holiday::Yearly(5, 1, None),   // Tag der Arbeit
    Holiday::Easter(39),           // Christi Himmelfahrt
    Holiday::Easter(50),           // Pfingstmontag
    Holiday::Yearly(10, 3, None),  // Tag der Deutschen Einheit
    Holiday::Yearly(12, 25, None), // Weihnachten
    Holiday::Yearly(12, 26, None), // Zweiter Weihnachtstag
];

/// The holidays of a country, by its ISO 3166 code; `None` where none are built in.
pub(crate) fn holidays(code: &str) -> Option<&'static [Holiday]> {
    match code {
        "DE" => Some(DE),
        _ => None,
    }
}
