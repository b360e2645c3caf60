//! Triage: rules over answers, deadlines, and the worklist.
#![doc = include_str!("../README.md")]
//!
//! Pure: time, ids and people are passed in. A rule never changes the run whose answer it reads.

mod calendar;
mod clock;
mod country;
mod deadline;
mod error;
pub mod events;
mod fold;
mod holiday;
mod holiday_file;
mod ics;
mod index;
mod lists;
mod page;
mod priority;
mod rule;
mod set;
mod step;
mod summary;
mod task;
mod week;
pub mod wire;
mod words;
mod work;

#[cfg(test)]
mod tests;

pub use calendar::BusinessCalendar;
pub use deadline::{Calendar, DeadlineError, DeadlineSpec};
pub use error::{CalendarError, TriageError};
pub use events::{EventDataError, TaskEvent};
pub use fold::{ApplyError, Tasks};
pub use holiday_file::{HolidayFileError, holidays_in};
pub use page::{Counts, Place, TaskQuery};
pub use priority::{OnExpiry, Priority};
pub use rule::TriageRule;
pub use set::{AnswerFacts, JudgeError, Judged, OpenFor, TriageSet, judgeable, why_not_judged};
pub use step::{Authority, Standing, StepRefusal, TaskState, TaskStatus, TaskStep, step};
pub use summary::SummaryError;
pub use task::{Past, Task, task_id};
pub use work::{Action, TaskRefusal, Worker};
