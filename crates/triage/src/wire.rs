//! The wire forms of triage rules and calendars, as they stand in a file. Unknown keys are refused.
//!
//! Only shapes are checked here, so that the checks that follow can report every fault at once.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{
    MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer, value::SeqAccessDeserializer,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use tipstaff_condition::wire::ConditionWire;

use crate::{Calendar, OnExpiry, Priority, TriageError, TriageRule};
use tipstaff_schema::{one_form, one_form_read};

one_form!(
    DeadlineWire,
    CalendarWire,
    YearlyWire,
    EasterWire,
    NthWire,
    Substitute,
    ClosureWire
);
one_form_read!(TriageRuleWire, AppliesToMap);

/// One triage rule, as written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct TriageRuleWire {
    /// Its name, unique among the rules.
    pub name: String,
    /// What the answer must satisfy; at least one condition.
    pub when: Vec<ConditionWire>,
    /// The tools and agents that it is about; absent means all.
    #[serde(default)]
    pub applies_to: AppliesToWire,
    /// The roles that see the task; empty means anyone.
    #[serde(default)]
    pub audience: Vec<String>,
    /// Text for people; `{/pointer}` is filled from the answer.
    pub summary: String,
    /// By when it is due.
    pub deadline: DeadlineWire,
    /// How pressing it is.
    #[serde(default)]
    pub priority: Priority,
    /// What happens when its time has run out.
    #[serde(default)]
    pub on_expiry: OnExpiry,
    /// The roles that see it after an escalation.
    #[serde(default)]
    pub escalate_to: Vec<String>,
    /// Whether a completion needs a note.
    #[serde(default)]
    pub note_required: bool,
    /// Refuse the rule while a tool that it is about has no output schema.
    #[serde(default)]
    pub require_output_schema: bool,
}

impl TriageRuleWire {
    /// Whether the rule could be loaded by itself, where this calendar resolves its deadline.
    ///
    /// # Errors
    /// Every fault that was found.
    pub fn validate(&self, calendar: &dyn Calendar) -> Result<(), Vec<TriageError>> {
        TriageRule::try_from_wire(self.clone(), 1, calendar).map(|_| ())
    }
}

/// A deadline, as written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct DeadlineWire {
    /// A name for people.
    pub name: String,
    /// `minutes`, `hours`, `days`, `working-days`, `working-hours` or `end-of-day`.
    pub kind: String,
    /// The parameters of the kind: `{n}`, or none for `end-of-day`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
}

/// What a rule is about: a list of tools, or `{tools, agents}`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AppliesToWire {
    /// Tool names, ids or patterns over them; empty means all.
    pub tools: Vec<String>,
    /// Agents; empty means all.
    pub agents: Vec<String>,
}

#[derive(Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
struct AppliesToMap {
    #[serde(default)]
    tools: Vec<String>,
    #[serde(default)]
    agents: Vec<String>,
}

impl<'de> Deserialize<'de> for AppliesToWire {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = AppliesToWire;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of tools, or `tools` and `agents`")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<AppliesToWire, A::Error> {
                let tools = Vec::deserialize(SeqAccessDeserializer::new(seq))?;
                Ok(AppliesToWire {
                    tools,
                    agents: Vec::new(),
                })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AppliesToWire, A::Error> {
                let AppliesToMap { tools, agents } =
                    <AppliesToMap as Deserialize>::deserialize(MapAccessDeserializer::new(map))?;
                Ok(AppliesToWire { tools, agents })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// A business calendar, as written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct CalendarWire {
    /// An IANA time zone; absent means the file's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// A country whose public national holidays are built in, such as `DE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Business hours by day (`mon`) or run of days (`mon-fri`), as `["09:00-17:00"]`; absent means
    /// Monday to Friday from nine to five.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_week: Option<BTreeMap<String, Vec<String>>>,
    /// Holidays beside the country's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holidays: Vec<HolidayWire>,
    /// Files of holidays, `.ics` or a date a line. Whoever reads the calendar's own file reads these
    /// too, adds what [`holidays_in`](crate::holidays_in) finds to `holidays`, and empties this.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holidays_from: Vec<String>,
    /// Runs of days on which nobody works.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub closures: Vec<ClosureWire>,
}

/// One holiday: a date (`2026-12-24`), or a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a date (`2026-12-24`), or a map with one of `yearly`, `easter`, `nth`"
)]
#[non_exhaustive]
pub enum HolidayWire {
    /// One date.
    Date(String),
    /// The same day each year.
    Yearly(YearlyWire),
    /// So many days after Easter Sunday.
    Easter(EasterWire),
    /// The nth weekday of a month.
    Nth(NthWire),
}

/// `{yearly: "12-24", substitute: next}`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct YearlyWire {
    /// Month and day.
    pub yearly: String,
    /// Where it moves when it falls on a weekend; absent means nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub substitute: Option<Substitute>,
}

/// `{easter: -2}`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct EasterWire {
    /// Days after Easter Sunday, negative before it.
    pub easter: i64,
}

/// `{nth: 3, weekday: mon, month: 2}`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct NthWire {
    /// 1 to 5 from the front, -1 for the last.
    pub nth: i8,
    /// The weekday.
    pub weekday: String,
    /// 1 to 12.
    pub month: u32,
}

/// Where a yearly holiday moves that falls on a Saturday or Sunday.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "kebab-case")]
pub enum Substitute {
    /// To the next weekday that is no holiday itself.
    Next,
    /// From Saturday to Friday, from Sunday to Monday.
    Nearest,
}

/// A run of days on which nobody works, both ends included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ClosureWire {
    /// The first day.
    pub from: String,
    /// The last day.
    pub to: String,
}
