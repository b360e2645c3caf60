//! Windows, times and terms that are refused when a rule is loaded.

use serde_json::{Value, json};

use super::build::{refused, with};
use super::compiled;

#[test]
fn windows_that_are_empty_half_or_outside_the_day_are_refused() {
    let hours = |hours: Value| with(json!({"hours": hours}));
    refused(hours(json!({"from": 8, "to": 8})), "hours", "never fire");
    refused(hours(json!({"from": "08:00", "to": 8})), "hours", "empty");
    refused(hours(json!({"from": 8})), "hours.to", "no `to`");
    refused(with(json!({"hours_to": 8})), "hours.from", "no `from`");
    refused(hours(json!({"from": 24, "to": 3})), "hours.from", "`24`");
    refused(hours(json!({"from": 8, "to": 25})), "hours.to", "`25`");
    refused(hours(json!({"from": -1, "to": 5})), "hours.from", "`-1`");
    refused(hours(json!({"from": 8.5, "to": 9})), "hours.from", "8.5");
    refused(
        hours(json!({"from": "8:60", "to": 9})),
        "hours.from",
        "8:60",
    );
    refused(
        hours(json!({"from": 8, "to": 9, "days": []})),
        "hours.days",
        "never fire",
    );
    refused(
        hours(json!({"from": 8, "to": 9, "days": ["mon-fry"]})),
        "hours.days",
        "`mon-fry` is no day",
    );
    refused(
        hours(json!({"from": 8, "to": 9, "zone": "UTC"})),
        "hours.zone",
        "did you mean `tz`",
    );
    compiled(json!([hours(json!({"from": 0, "to": 24}))]));
}

#[test]
fn c131_only_names_of_places_are_zones() {
    for bad in ["CET", "+02:00", "EST5EDT", "Etc/GMT+2", "Berlin", "GMT"] {
        refused(
            with(json!({"hours": {"from": 8, "to": 9, "tz": bad}})),
            "hours.tz",
            bad,
        );
    }
    refused(
        with(json!({"hours": {"from": 8, "to": 9, "tz": "europe/berlin"}})),
        "hours.tz",
        "did you mean `Europe/Berlin`",
    );
    compiled(json!([with(
        json!({"hours": {"from": 8, "to": 9, "tz": "UTC"}})
    )]));
}

#[test]
fn c136_a_time_without_a_zone_is_refused() {
    refused(
        with(json!({"until": "2026-12-01T09:00"})),
        "until",
        "RFC 3339",
    );
    refused(
        with(json!({"until": "2026-12-01T09:00:00"})),
        "until",
        "RFC 3339",
    );
    refused(
        with(json!({"created_at": "yesterday"})),
        "created_at",
        "RFC 3339",
    );
}

#[test]
fn terms_are_checked() {
    let ask = |terms: Value| json!({"id": "a", "effect": "ask", "approval": terms});
    refused(ask(json!({"expire": "10"})), "approval.expire", "duration");
    refused(ask(json!({"expire": "0s"})), "approval.expire", "duration");
    refused(
        ask(json!({"use_within": "5 minutes"})),
        "approval.use_within",
        "duration",
    );
    refused(ask(json!({"quorum": 0})), "approval.quorum", "quorum");
    refused(
        ask(json!({"audience": ["no role"]})),
        "approval.audience",
        "no role",
    );
    refused(
        ask(json!({"quorun": 1})),
        "approval.quorun",
        "did you mean `quorum`",
    );
}
