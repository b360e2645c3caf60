//! Shows the limits of a manifest: to people in a few lines, to programs as one object.

use serde_json::{Value, json};
use tipstaff_gate::{BreakerLimit, CallLimits, Rate, RepeatLimit, Setting, ToolLimits};
use tipstaff_schema::sanitization::sanitize_for_display;

/// One line for all tools, and one for each pattern that has limits of its own.
pub(crate) fn lines(limits: &CallLimits) -> Vec<String> {
    let most = limits.concurrent;
    let mut parts = vec![
        limits
            .breaker
            .map_or_else(|| "no breaker".to_owned(), breaker),
        limits
            .repeats
            .map_or_else(|| "no loops".to_owned(), repeats),
    ];
    let rates = [
        ("an agent", limits.rates.agent),
        ("a tool", limits.rates.tool),
        ("a tool by an agent", limits.rates.agent_and_tool),
    ];
    parts.extend(
        rates
            .iter()
            .filter_map(|(of, set)| set.map(|set| rate(of, set))),
    );
    parts.push(format!(
        "at once {} of an agent, {} of a server, {} of an agent with those that wait",
        most.agent, most.server, most.held
    ));
    let mut lines = vec![format!("limits: {}", parts.join("; "))];
    lines.extend(limits.tools.iter().map(|(pattern, set)| {
        let pattern = sanitize_for_display(pattern.as_str());
        format!("limits of `{pattern}`: {}", of_tool(set).join("; "))
    }));
    lines
}

fn of_tool(set: &ToolLimits) -> Vec<String> {
    let mut parts = Vec::new();
    parts.extend(set.breaker.map(|set| or(set, "no breaker", breaker)));
    parts.extend(set.repeats.map(|set| or(set, "no loops", repeats)));
    let of_tool = |set| rate("a tool", set);
    parts.extend(
        set.tool_rate
            .map(|set| or(set, "no rate of a tool", of_tool)),
    );
    let of_both = |set| rate("a tool by an agent", set);
    let none = "no rate of a tool by an agent";
    parts.extend(set.agent_and_tool_rate.map(|set| or(set, none, of_both)));
    if parts.is_empty() {
        parts.push("as for all tools".to_owned());
    }
    parts
}

fn or<T>(set: Setting<T>, off: &str, shown: impl Fn(T) -> String) -> String {
    match set {
        Setting::Off => off.to_owned(),
        Setting::To(limit) => shown(limit),
    }
}

fn breaker(limit: BreakerLimit) -> String {
    let (rest, probe) = (limit.cool_down.as_secs(), limit.probe.as_secs());
    format!(
        "a breaker after {} failures in a row, for {rest} s, probe {probe} s",
        limit.failures
    )
}

fn repeats(limit: RepeatLimit) -> String {
    format!(
        "the same call {} times in {} s",
        limit.calls,
        limit.within.as_secs()
    )
}

fn rate(of: &str, rate: Rate) -> String {
    let (calls, within, burst) = (rate.calls, rate.within.as_secs(), rate.burst);
    format!("{calls} calls of {of} in {within} s, {burst} at a burst")
}

/// The limits as `check --json` prints them; times in seconds, `null` where there is none.
pub(crate) fn json(limits: &CallLimits) -> Value {
    let most = limits.concurrent;
    let tools = limits.tools.iter().map(|(pattern, set)| {
        let mut shown = serde_json::Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                shown.insert(name.to_owned(), value);
            }
        };
        put("breaker", set.breaker.map(|set| or_off(set, breaker_json)));
        put("repeats", set.repeats.map(|set| or_off(set, repeats_json)));
        put("tool_rate", set.tool_rate.map(|set| or_off(set, rate_json)));
        let both = set.agent_and_tool_rate;
        put(
            "agent_and_tool_rate",
            both.map(|set| or_off(set, rate_json)),
        );
        json!({ "tool": pattern.as_str(), "limits": shown })
    });
    json!({
        "breaker": limits.breaker.map(breaker_json),
        "repeats": limits.repeats.map(repeats_json),
        "rate": {
            "agent": limits.rates.agent.map(rate_json),
            "tool": limits.rates.tool.map(rate_json),
            "agent_and_tool": limits.rates.agent_and_tool.map(rate_json),
        },
        "concurrent": { "agent": most.agent, "server": most.server, "held": most.held },
        "tools": tools.collect::<Vec<_>>(),
    })
}

fn or_off<T>(set: Setting<T>, shown: impl Fn(T) -> Value) -> Value {
    match set {
        Setting::Off => json!("off"),
        Setting::To(limit) => shown(limit),
    }
}

fn breaker_json(limit: BreakerLimit) -> Value {
    json!({
        "failures": limit.failures,
        "cool_down": limit.cool_down.as_secs(),
        "probe": limit.probe.as_secs(),
    })
}

fn repeats_json(limit: RepeatLimit) -> Value {
    json!({ "calls": limit.calls, "within": limit.within.as_secs() })
}

fn rate_json(rate: Rate) -> Value {
    json!({ "calls": rate.calls, "within": rate.within.as_secs(), "burst": rate.burst })
}
