//! The plan against bash itself: what bash starts must be what the plan listed, word for word, or the
//! plan says that it does not know.
//!
//! The folder of tracers is the only one in `PATH`: each writes down its name and words, and starts
//! nothing. `TIPSTAFF_CASES` sets how many texts are tried, `TIPSTAFF_SEED` where the
//! dice begin; a failure names the seed of its own text.

use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use tipstaff_command::{CommandPlan, ProgramTable, WordShape};

use super::scripts::{Dice, TRACERS, script};

/// Texts of the usual run.
const USUAL: u64 = 400;

/// Behind the words of a start; no text holds it. One write, so that starts at once do not mix.
const END: &str = "=end=\0";

/// Wrappers, as they are on this machine.
const REAL: [&str; 12] = [
    "env", "nohup", "timeout", "nice", "xargs", "sh", "bash", "find", "setsid", "stdbuf", "true",
    "echo",
];

fn number(variable: &str, usual: u64) -> u64 {
    let set = std::env::var(variable).ok();
    set.map_or(usual, |text| text.parse().expect("a number"))
}

/// Where bash runs.
struct Yard {
    _folder: TempDir,
    bin: PathBuf,
    work: PathBuf,
    log: PathBuf,
}

impl Yard {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (bin, work, log) = (root.join("bin"), root.join("work"), root.join("log"));
        std::fs::create_dir(&bin).unwrap();
        std::fs::create_dir(&work).unwrap();
        for (at, name) in TRACERS.iter().enumerate() {
            // Every second fails, so that both ways of `&&` and `||` are gone; every third prints a name.
            let prints = if at % 3 == 2 { "echo alpha" } else { ":" };
            let text = format!(
                "#!/bin/sh\nprintf '%s\\0' \"${{0##*/}}\" \"$@\" '=end=' >> {log}\n{prints}\nexit {}\n",
                at % 2,
                log = log.display(),
            );
            let file = bin.join(name);
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        for name in REAL {
            let found = ["/usr/bin", "/bin"].map(|at| Path::new(at).join(name));
            if let Some(real) = found.iter().find(|path| path.exists()) {
                symlink(real, bin.join(name)).unwrap();
            }
        }
        Self {
            _folder: folder,
            bin,
            work,
            log,
        }
    }

    /// What bash starts for a text: each tracer with its words.
    fn bash(&self, text: &str) -> Vec<Vec<String>> {
        for file in std::fs::read_dir(&self.work).unwrap() {
            std::fs::remove_file(file.unwrap().path()).unwrap();
        }
        std::fs::write(self.work.join("i"), "a\n").unwrap();
        std::fs::write(&self.log, "").unwrap();
        // The pipe ends when all that was started has ended, also in the background.
        let ended = Command::new("/bin/sh")
            .args(["-c", "exec \"$@\" 9>&1 >/dev/null 2>&1", "sh"])
            .args(["/usr/bin/timeout", "-s", "KILL", "20"])
            .args(["/bin/bash", "--noprofile", "--norc", "-c", text])
            .env_clear()
            .env("PATH", &self.bin)
            .current_dir(&self.work)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .unwrap();
        assert_ne!(ended.status.code(), Some(137), "it does not end: {text}");
        let log = String::from_utf8(std::fs::read(&self.log).unwrap()).unwrap();
        let starts = log.split_terminator(END);
        starts
            .map(|start| start.split_terminator('\0').map(str::to_owned).collect())
            .collect()
    }
}

/// The last part of a path.
fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap()
}

/// Whether the plan lists a start: a command of that name, and where all its words are what they
/// say, of those words.
fn listed(plan: &CommandPlan, start: &[String]) -> bool {
    plan.commands.iter().any(|command| {
        let Some((program, rest)) = command.words.split_first() else {
            return false;
        };
        let literal = rest.iter().all(|word| word.shape == WordShape::Literal)
            && !rest.iter().any(|word| word.text.contains("/dev/fd/"));
        base(&program.text) == start[0]
            && (!literal || rest.iter().map(|word| &word.text).eq(&start[1..]))
    })
}

#[test]
fn what_bash_starts_is_what_the_plan_lists_or_the_plan_does_not_know() {
    let yard = Yard::new();
    let count = number("TIPSTAFF_CASES", USUAL);
    let seed = number("TIPSTAFF_SEED", 20_261_130);
    let cwd = yard.work.display().to_string();
    let (mut known, mut starts, mut plain, mut wrong) = (0, 0, 0, Vec::new());
    for at in seed..seed + count {
        let text = script(&mut Dice(at), usize::try_from(at % 4).unwrap());
        let plan = tipstaff_command::plan(&text, Some(&cwd), ProgramTable::builtin());
        if !plan.unknowns.is_empty() {
            continue;
        }
        known += 1;
        let started = yard.bash(&text);
        starts += started.len();
        let missing: BTreeSet<&Vec<String>> = started
            .iter()
            .filter(|start| !listed(&plan, start))
            .collect();
        let argv = plan.single_argv();
        let exact = argv
            .as_ref()
            .filter(|argv| TRACERS.contains(&base(&argv[0])));
        plain += u64::from(exact.is_some());
        let differs = exact.is_some_and(|argv| {
            let same = |start: &Vec<String>| start[0] == base(&argv[0]) && start[1..] == argv[1..];
            !matches!(started.as_slice(), [start] if same(start))
        });
        if !missing.is_empty() || differs {
            wrong.push(format!(
                "seed {at}\n{text}\nstarted {started:?}\nargv {argv:?}\nlisted {:?}",
                plan.commands
                    .iter()
                    .map(|command| &command.text)
                    .collect::<Vec<_>>()
            ));
        }
    }
    println!("{count} texts from seed {seed}: {known} known, {starts} starts, {plain} plain");
    assert!(
        wrong.is_empty(),
        "{} of {known}:\n\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
    // The comparison means nothing where nothing is known or started.
    assert!(known * 5 > count && starts as u64 > count / 4 && plain > count / 50);
}
