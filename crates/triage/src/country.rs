//! Public holidays that are built in, by country: those of the whole nation, as the law gives them,
//! from 2020 on.
//!
//! Regional holidays are not in it (for GB: what England, Wales, Scotland and Northern Ireland do not
//! share); they go into the file. A country that is not here is refused.

use chrono::Weekday;

use crate::holiday::{Dated, Holiday};
use crate::wire::Substitute::{Nearest, Next};

/// The countries that are built in, for error messages.
pub(crate) const KNOWN: &str = "`DE`, `FR`, `GB`, `US`";

/// The same day each year.
const fn on(month: u32, day: u32) -> Dated {
    Dated::always(Holiday::Yearly(month, day, None))
}

const fn easter(days: i64) -> Dated {
    Dated::always(Holiday::Easter(days))
}

const GOOD_FRIDAY: Dated = easter(-2);
const EASTER_MONDAY: Dated = easter(1);
const ASCENSION: Dated = easter(39);
const WHIT_MONDAY: Dated = easter(50);

const DE: &[Dated] = &[
    on(1, 1), // Neujahr
    GOOD_FRIDAY,
    EASTER_MONDAY,
    on(5, 1), // Tag der Arbeit
    ASCENSION,
    WHIT_MONDAY,
    on(10, 3), // Tag der Deutschen Einheit
    on(12, 25),
    on(12, 26),
];

const FR: &[Dated] = &[
    on(1, 1),
    EASTER_MONDAY,
    on(5, 1), // Fête du Travail
    on(5, 8), // Victoire de 1945
    ASCENSION,
    WHIT_MONDAY,
    on(7, 14),  // Fête nationale
    on(8, 15),  // Assomption
    on(11, 1),  // Toussaint
    on(11, 11), // Armistice de 1918
    on(12, 25),
];

/// On a weekend it moves to the next weekday that is no holiday.
const fn bank(month: u32, day: u32) -> Dated {
    Dated::always(Holiday::Yearly(month, day, Some(Next)))
}

const MAY_DAY: Holiday = Holiday::Nth(1, Weekday::Mon, 5);
const SPRING: Holiday = Holiday::Nth(-1, Weekday::Mon, 5);

const fn once(year: i32, month: u32, day: u32) -> Dated {
    Dated::once(year, Holiday::Yearly(month, day, None))
}

const GB: &[Dated] = &[
    bank(1, 1),
    GOOD_FRIDAY,
    Dated::until(2019, MAY_DAY),
    once(2020, 5, 8), // May Day, moved to the anniversary of 1945
    Dated::since(2021, MAY_DAY),
    Dated::until(2021, SPRING),
    once(2022, 6, 2), // Spring, moved to the jubilee
    once(2022, 6, 3),
    Dated::since(2023, SPRING),
    once(2022, 9, 19), // State funeral
    once(2023, 5, 8),  // Coronation
    bank(12, 25),
    bank(12, 26),
];

/// On a Saturday it moves to Friday, on a Sunday to Monday.
const fn federal(month: u32, day: u32) -> Dated {
    Dated::always(Holiday::Yearly(month, day, Some(Nearest)))
}

const fn monday(n: i8, month: u32) -> Dated {
    Dated::always(Holiday::Nth(n, Weekday::Mon, month))
}

const US: &[Dated] = &[
    federal(1, 1),
    monday(3, 1),  // Martin Luther King
    monday(3, 2),  // Washington
    monday(-1, 5), // Memorial
    Dated::since(2021, Holiday::Yearly(6, 19, Some(Nearest))),
    federal(7, 4),
    monday(1, 9),    // Labor
    monday(2, 10),   // Columbus
    federal(11, 11), // Veterans
    Dated::always(Holiday::Nth(4, Weekday::Thu, 11)),
    federal(12, 25),
];

/// The holidays of a country, by its ISO 3166 code; `None` where none are built in.
pub(crate) fn holidays(code: &str) -> Option<&'static [Dated]> {
    match code {
        "DE" => Some(DE),
        "FR" => Some(FR),
        "GB" => Some(GB),
        "US" => Some(US),
        _ => None,
    }
}
