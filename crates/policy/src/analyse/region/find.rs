//! One candidate: the dimensions are independent but for the value that stands both in the parameters
//! and in the resource, so each is answered by itself and the answers are put together.

use chrono::{DateTime, Utc};

use super::moments::moment;
use super::params::{Params, params};
use super::subject::{Kind, Place, subjects};
use super::{Avoid, Found, Region, failing, who};
use crate::analyse::call::{Call, Caller};
use crate::analyse::capability::Tool;
use crate::explain::Dimension;
use crate::reference::matches;
use crate::rule::Rule;
use crate::target::Target;

/// What is the same for all agents and tools of one candidate.
pub(super) struct Asked<'q, 'a> {
    pub(super) all: &'q [&'a Rule],
    pub(super) avoid: &'q [Avoid<'a>],
    at: DateTime<Utc>,
}

fn hangs_on_root(rule: &Rule) -> bool {
    let rooted =
        |target: &Target| matches!(target, Target::Resource(pattern) if pattern.needs_root());
    rule.target.as_ref().is_some_and(rooted)
        || rule
            .cwd()
            .is_some_and(tipstaff_resource::Pattern::needs_root)
}

impl Region<'_> {
    /// A call on which all of `all` match and every way of `avoid` is gone; nothing is asked of it yet.
    pub(super) fn candidate(&mut self, all: &[&Rule], avoid: &[Avoid<'_>]) -> Found {
        if !self.spend(1) {
            return Found::NotDecided;
        }
        let closed: Vec<&Rule> = failing(avoid, Dimension::Hours).collect();
        let ended: Vec<&Rule> = failing(avoid, Dimension::Until).collect();
        let Some(at) = moment(all, &closed, &ended, self.world.now) else {
            return Found::Nowhere;
        };
        let asked = Asked { all, avoid, at };
        let callers = who::callers(all, avoid, self);
        let (listed, mut open) = who::listed(all, avoid, self);
        match self.with(&asked, &callers, &listed) {
            Found::Call(call) => return Found::Call(call),
            Found::NotDecided => open = true,
            Found::Nowhere => {}
        }
        let (unlisted, more) = who::unlisted(all, avoid, self);
        match self.with(&asked, &callers, &unlisted) {
            Found::Call(call) => return Found::Call(call),
            Found::NotDecided => open = true,
            Found::Nowhere => {}
        }
        // Without known agents nothing is known of their roots.
        let roots = self.world.agents.is_empty() && all.iter().any(|rule| hangs_on_root(rule));
        if open || (more && !callers.is_empty()) || roots {
            Found::NotDecided
        } else {
            Found::Nowhere
        }
    }

    fn with(&mut self, asked: &Asked<'_, '_>, callers: &[Caller], tools: &[Tool]) -> Found {
        let mut open = false;
        for tool in tools {
            for caller in callers {
                for kind in subjects(asked, tool) {
                    if !self.spend(1) {
                        return Found::NotDecided;
                    }
                    match self.one(asked, caller, tool, &kind) {
                        // Such a call can hardly be made, but it cannot be ruled out.
                        Found::Call(_) if kind.is_far() => open = true,
                        Found::Call(call) => return Found::Call(call),
                        Found::NotDecided => open = true,
                        Found::Nowhere => {}
                    }
                }
            }
        }
        if open {
            Found::NotDecided
        } else {
            Found::Nowhere
        }
    }

    fn one(&mut self, asked: &Asked<'_, '_>, caller: &Caller, tool: &Tool, kind: &Kind) -> Found {
        let values = match params(asked.all, asked.avoid, tool.schema.as_ref()) {
            Params::Found(values) => values,
            Params::Never => return Found::Nowhere,
            Params::NotDecided => return Found::NotDecided,
        };
        let place = match self.place(asked, caller, tool, kind, values) {
            Ok(place) => place,
            Err(found) => return found,
        };
        let Place {
            part,
            action,
            mut params,
            cwd,
            placement,
        } = place;
        let before = params.clone();
        tool.fill_required(&mut params);
        let call = |params| Call {
            agent: caller.clone(),
            tool: tool.clone(),
            action: action.clone(),
            part: part.clone(),
            params,
            cwd: cwd.clone(),
            placement: placement.clone(),
            at: asked.at,
        };
        let fits = |call: &Call| {
            let request = call.request();
            asked.all.iter().all(|rule| matches(rule, &request))
                && !asked.avoid.iter().any(|way| way.is_met(&request))
        };
        [call(params), call(before)]
            .into_iter()
            .find(fits)
            .map_or(Found::NotDecided, |call| Found::Call(Box::new(call)))
    }
}
