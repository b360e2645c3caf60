//! The common core: rules that ours and every peer can say, and requests for them.
//!
//! Allows, and denies that nothing outranks; an agent or all; a tool, a server's tools, or all; a
//! file, all below a folder, a name in any folder, or anything. With no rule: deny. So one order of
//! precedence, that a deny wins, holds for all engines, and their verdicts can be compared.

use crate::dice::Dice;

/// How many agents there are.
pub const AGENTS: usize = 200;
/// How many tools there are.
pub const TOOLS: usize = 500;
/// How many tools a server has.
pub(super) const OF_A_SERVER: usize = 25;

/// What a rule says of the tool, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Every tool.
    Any,
    /// All tools of a server.
    Server(usize),
    /// One.
    One(usize),
}

/// What a rule says of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Anything.
    Any,
    /// This file.
    File(String),
    /// Every file below this folder.
    Below(String),
    /// Every file of this name.
    Named(String),
}

/// A rule of the common core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plain {
    /// The agent by number; `None` means every agent.
    pub agent: Option<usize>,
    /// The tool.
    pub tool: Tool,
    /// The file.
    pub place: Place,
    /// Whether it denies, before all allows.
    pub deny: bool,
}

/// A request of the common core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The agent by number.
    pub agent: usize,
    /// The tool by number.
    pub tool: usize,
    /// The file, never a folder that a rule names.
    pub path: String,
}

/// `agent-7`.
pub fn agent_name(agent: usize) -> String {
    format!("agent-{agent}")
}

/// `server-2`.
pub fn server_name(server: usize) -> String {
    format!("server-{server}")
}

/// `server-2:tool-57`.
pub fn tool_name(tool: usize) -> String {
    format!("server-{}:tool-{tool}", tool / OF_A_SERVER)
}

/// The server of a tool.
pub fn server_of(tool: usize) -> usize {
    tool / OF_A_SERVER
}

/// A folder of one of so many projects.
pub(super) fn folder(dice: &mut Dice, projects: usize) -> String {
    const PARTS: [&str; 8] = [
        "src", "docs", "data", "build", "assets", "notes", "lib", "test",
    ];
    let (project, part, deeper) = (dice.roll(projects), dice.roll(8), dice.roll(40));
    format!("/srv/project-{project}/{}/part-{deeper}", PARTS[part])
}

pub(super) fn file(dice: &mut Dice, projects: usize) -> String {
    const ENDS: [&str; 6] = ["rs", "md", "json", "txt", "sql", "log"];
    let (folder, n) = (folder(dice, projects), dice.roll(60));
    format!("{folder}/file-{n}.{}", ENDS[dice.roll(6)])
}

/// So many projects are spoken of by so many rules: rules grow with what they are about.
pub(super) fn projects(rules: usize) -> usize {
    rules.div_ceil(8).max(4)
}

/// The rules. A few are broad, at most 24; the others name an agent, a tool or both.
pub fn core_rules(count: usize) -> Vec<Plain> {
    let (mut dice, projects) = (Dice::new(11), projects(count));
    (0..count)
        .map(|n| {
            if n % 16 == 3 && n / 16 < 24 {
                broad(&mut dice, n, projects)
            } else {
                narrow(&mut dice, n, projects)
            }
        })
        .collect()
}

/// Every other one a deny for all on a name, or an allow for all below a folder.
fn broad(dice: &mut Dice, n: usize, projects: usize) -> Plain {
    if (n / 16).is_multiple_of(2) {
        Plain {
            agent: None,
            tool: Tool::Any,
            place: Place::Named(format!("file-{}.sql", n / 16)),
            deny: true,
        }
    } else {
        Plain {
            agent: None,
            tool: Tool::Server(dice.roll(TOOLS) / OF_A_SERVER),
            place: Place::Below(format!("/srv/project-{}", dice.roll(projects))),
            deny: false,
        }
    }
}

fn narrow(dice: &mut Dice, n: usize, projects: usize) -> Plain {
    let agent = dice.percent(80).then(|| dice.roll(AGENTS));
    let tool = match dice.roll(10) {
        0..=6 => Tool::One(dice.roll(TOOLS)),
        7 | 8 => Tool::Server(dice.roll(TOOLS) / OF_A_SERVER),
        _ => Tool::Any,
    };
    let whole = agent.is_some() && matches!(tool, Tool::One(_));
    let place = match dice.roll(10) {
        0..=4 => Place::File(file(dice, projects)),
        5 | 6 => Place::Below(folder(dice, projects)),
        7 => Place::Named(format!("special-{n}.json")),
        _ if whole => Place::Any,
        _ => Place::File(file(dice, projects)),
    };
    Plain {
        agent,
        tool,
        place,
        deny: dice.percent(15),
    }
}

/// The requests: seven of ten are such as some rule was written for, the others are made up anew.
pub fn core_asked(rules: &[Plain], count: usize) -> Vec<Asked> {
    let (mut dice, projects) = (Dice::new(12), projects(rules.len()));
    (0..count)
        .map(|_| {
            let mut asked = Asked {
                agent: dice.roll(AGENTS),
                tool: dice.roll(TOOLS),
                path: file(&mut dice, projects),
            };
            if dice.percent(70) {
                meet(&mut asked, &rules[dice.roll(rules.len())], &mut dice);
            }
            asked
        })
        .collect()
}

fn meet(asked: &mut Asked, rule: &Plain, dice: &mut Dice) {
    asked.agent = rule.agent.unwrap_or(asked.agent);
    match rule.tool {
        Tool::Any => {}
        Tool::Server(server) => asked.tool = server * OF_A_SERVER + dice.roll(OF_A_SERVER),
        Tool::One(tool) => asked.tool = tool,
    }
    match &rule.place {
        Place::Any => {}
        Place::File(path) => asked.path.clone_from(path),
        Place::Below(folder) => asked.path = format!("{folder}/deep/file-{}.rs", dice.roll(60)),
        Place::Named(name) => asked.path = format!("/srv/project-0/src/part-1/{name}"),
    }
}
