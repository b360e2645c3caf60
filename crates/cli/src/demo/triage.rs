//! An answer that misses a deadline: it goes back as it is, and a task with a due date stands beside it.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, TimeDelta, Utc, Weekday};
use serde_json::json;
use tipstaff_gate::Outcome;
use tipstaff_schema::Role;
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_triage::{Priority, Task, TaskQuery, TaskStatus};

use super::Tour;
use super::calls::{token, unexpected};
use super::stop::{Stop, check};
use super::voice::{Who, Word};

/// The working days that the rule gives, and when they end.
const DAYS: usize = 2;
const CLOSING: Option<NaiveTime> = NaiveTime::from_hms_opt(17, 0, 0);

impl Tour<'_> {
    pub(super) async fn triage(&mut self) -> Result<(), Stop> {
        self.voice.begin("triage", "An answer that opens a task")?;
        self.voice.say(
            Who::Agent,
            "sends an intent token: grid.grid_status, asset `T-117`",
        )?;
        let wish = token("grid", "grid_status", "asset", "T-117");
        let (outcome, trail) = self.stage.send(wish).await?;
        trail.decided("allow", Some("watch-grid"))?;
        trail.ran(1)?;
        let Outcome::Completed {
            result,
            answer_valid: true,
            tasks,
        } = &outcome
        else {
            return Err(Stop::Wrong(unexpected(&outcome)));
        };
        let open = self.stage.gate.tasks(&TaskQuery::default());
        let [task] = open.as_slice() else {
            return Err(Stop::Wrong(format!(
                "{} tasks, where one belongs",
                open.len()
            )));
        };
        check(*tasks == [task.id.to_string()], || {
            "the outcome does not name the task".to_owned()
        })?;
        as_the_rule_says(task)?;
        let why = "rule `watch-grid`; the answer goes back unchanged, and is judged beside that";
        self.voice.decide(Word::Allow, why)?;
        let answer = result.data.as_ref().map(ToString::to_string);
        self.voice.say(
            Who::Result,
            &sanitize_for_display(&answer.unwrap_or_default()),
        )?;
        let roles: Vec<&str> = task.audience.iter().map(Role::as_str).collect();
        let finds = format!(
            "({}) finds a task: {}, high priority",
            roles.join(", "),
            task.summary
        );
        self.voice.say(Who::Otto, &finds)?;
        let due = task.due_at.format("%a %-d %b %Y, %H:%M UTC");
        let until = format!("has until {due}: the close of the second working day");
        self.voice.say(Who::Otto, &until)?;
        let (id, summary, due_at) = (task.id, &task.summary, task.due_at);
        self.voice
            .done(&json!({ "task": id, "summary": summary, "audience": roles, "due_at": due_at }))
    }
}

fn as_the_rule_says(task: &Task) -> Result<(), Stop> {
    let open = task.status() == TaskStatus::Ready && task.priority == Priority::High;
    check(open && task.summary == "deadline missed for T-117", || {
        format!("another task was opened: {}", task.summary)
    })?;
    let days = working_days(task.created_at, task.due_at);
    check(days == DAYS && Some(task.due_at.time()) == CLOSING, || {
        format!("it is due at {}, {days} working days later", task.due_at)
    })
}

/// The days from Monday to Friday after the first instant's, up to the second's.
fn working_days(from: DateTime<Utc>, to: DateTime<Utc>) -> usize {
    let works = |day: &NaiveDate| !matches!(day.weekday(), Weekday::Sat | Weekday::Sun);
    let (from, to) = (from.date_naive(), to.date_naive());
    let days = (1..=30).map(|days| from + TimeDelta::days(days));
    days.take_while(|day| *day <= to).filter(works).count()
}
