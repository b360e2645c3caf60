//! The explanation as lines of text.

use super::{DecidedBy, Explanation, MatchedRule};

impl Explanation {
    /// The explanation as lines of text: the decision, what matched in order and why it lost, and what
    /// nearly matched.
    #[must_use]
    pub fn to_text(&self) -> String {
        let decision = &self.decision;
        let mut lines = vec![format!("{}: {}", decision.effect, decision.reason())];
        let locked = decision.source == DecidedBy::Locked;
        for (place, rule) in self.matched.iter().enumerate() {
            let role = match (locked, place) {
                (true, _) => "does not count, since the capability is locked",
                (false, 0) => "decides",
                (false, _) => "loses",
            };
            lines.push(format!("  {role}: {}", line(rule)));
        }
        for rule in &self.near {
            let instead = if rule.would_decide && !locked {
                ", which would decide"
            } else {
                ""
            };
            lines.push(format!(
                "  not used: {} {}{instead}, for its {}: {}",
                rule.effect,
                rule.id,
                rule.failed.as_str(),
                rule.why
            ));
        }
        if self.near_left_out > 0 {
            lines.push(format!(
                "  and {} more rules that failed on one dimension only",
                self.near_left_out
            ));
        }
        lines.join("\n")
    }
}

fn line(rule: &MatchedRule) -> String {
    let weights: Vec<String> = rule
        .weights
        .iter()
        .map(|(d, w)| format!("{} {w}", d.as_str()))
        .collect();
    let sum = match weights.as_slice() {
        [] => rule.specificity.to_string(),
        _ => format!("{} = {}", rule.specificity, weights.join(" + ")),
    };
    let guard = if rule.guard { ", guard" } else { "" };
    let beaten = match &rule.beaten {
        Some(why) => format!(", beaten: {why}"),
        None => String::new(),
    };
    format!("{} {} ({sum}{guard}){beaten}", rule.effect, rule.id)
}
