//! `sandbox: landlock`, on a kernel that has it; and what happens on one that has not.

use std::sync::Arc;

use serde_json::json;
use tipstaff_gate::Outcome;

use super::bench::{Bench, bench, ruled};
use crate::sandbox::{Kernel, TOO_OLD};
use crate::{LocalExecutor, Sandbox, SpawnSettings, SpawnTool};

fn landlock() -> SpawnSettings {
    let mut settings = SpawnSettings::default();
    settings.sandbox = Sandbox::Landlock;
    settings
}

/// Whether this kernel can be tested on; else that is said, since most of this file then says nothing.
fn can() -> bool {
    let can = Kernel::running() == Kernel::Confines;
    if !can {
        eprintln!("SKIPPED: this kernel has no Landlock of Linux 6.7; only the refusal is tested");
    }
    can
}

/// The output of a command that runs, both streams.
async fn says(bench: &Bench, input: &str) -> String {
    bench.runs(input).await.output.unwrap()
}

#[tokio::test]
async fn where_the_kernel_has_none_nothing_runs() {
    let settings = Arc::new(landlock());
    let mut local = LocalExecutor::new(Arc::clone(&settings));
    local.kernel = Kernel::TooOld;
    let tool = SpawnTool::new(landlock()).unwrap().on(local);
    let bench = Bench::new(tool, &json!([]), Some(Arc::new(super::bench::Yes))).await;
    assert_eq!(
        bench.refused("!echo hi").await,
        format!("never ran: {TOO_OLD}")
    );
    assert_eq!(
        bench.refused("!echo hi | cat").await,
        format!("never ran: {TOO_OLD}")
    );
}

#[tokio::test]
async fn what_the_plan_says_works() {
    if !can() {
        return;
    }
    let bench = bench(landlock()).await;
    std::fs::write(bench.folder().join("a"), "text\n").unwrap();
    assert_eq!(says(&bench, "!cat a").await, "text\n");
    assert_eq!(
        says(&bench, "!sort a > b && cat b && ls").await,
        "text\na\nb\n"
    );
    assert_eq!(says(&bench, "!rm b && ls").await, "a\n");
    assert_eq!(
        says(&bench, "!mkdir -p x/y && touch x/y/z && ls x/y").await,
        "z\n"
    );
    assert_eq!(
        says(&bench, "!echo hi 2>/dev/null | tee /dev/null").await,
        "hi\n"
    );
    assert_eq!(says(&bench, "!cat <<E\nhi\nE\n").await, "hi\n");
}

#[tokio::test]
async fn what_the_plan_does_not_say_fails() {
    if !can() {
        return;
    }
    let bench = bench(landlock()).await;
    let other = tempfile::tempdir().unwrap();
    let secret = other.path().canonicalize().unwrap().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    std::os::unix::fs::symlink(&secret, bench.folder().join("link")).unwrap();
    std::fs::write(
        bench.folder().join("list"),
        format!("{}\0", secret.display()),
    )
    .unwrap();
    let denied = |text: String| assert!(text.contains("Permission denied"), "{text}");
    // The confinement of a command that reads one file, and scripts that do something else.
    let plan = tipstaff_command::plan(
        "cat list",
        Some(&bench.folder().display().to_string()),
        tipstaff_command::ProgramTable::builtin(),
    );
    let confined = crate::sandbox::Confined::by_plan(Some(&plan), None, &[], None);
    for script in [
        format!("cat {}", secret.display()),
        format!("echo x > {}", other.path().join("new").display()),
        format!("rm -f {}", secret.display()),
        format!("echo x >> {}", secret.display()),
        format!(
            "mv {} {}",
            bench.folder().join("list").display(),
            other.path().display()
        ),
        "exec 3<>/dev/tcp/127.0.0.1/9".to_owned(),
    ] {
        denied(run(&confined, &script, bench.folder()).await);
    }
    assert_eq!(
        run(&confined, "cat list", bench.folder()).await,
        format!("{}\0", secret.display())
    );
    assert!(secret.exists() && !other.path().join("new").exists());
}

/// Runs a script under a confinement that was made for another.
async fn run(
    confined: &crate::sandbox::Confined,
    script: &str,
    folder: &std::path::Path,
) -> String {
    let start = crate::run::Start {
        program: "/bin/bash".into(),
        name: "bash".to_owned(),
        arguments: vec!["-c".to_owned(), script.to_owned()],
        folder: folder.to_owned(),
    };
    let (settings, env) = (SpawnSettings::default(), std::collections::BTreeMap::new());
    let call = crate::run::Call {
        settings: &settings,
        env: &env,
        deadline: chrono::Utc::now() + chrono::TimeDelta::minutes(1),
        cancel: &tipstaff_gate::Cancel::new(),
        tell: &|_| {},
    };
    let ran = crate::run::run(start, Some(confined.clone()), &call).await;
    ran.unwrap().output.unwrap()
}

#[tokio::test]
async fn a_command_that_is_not_known_writes_only_where_the_agent_works() {
    if !can() {
        return;
    }
    let bench = bench(landlock()).await;
    let out = says(&bench, "!eval 'echo x > here; cat here'").await;
    assert_eq!(out, "x\n");
    let plan = tipstaff_command::plan(
        "eval x",
        Some("/"),
        tipstaff_command::ProgramTable::builtin(),
    );
    let folder = bench.folder().canonicalize().unwrap();
    let mut confined = crate::sandbox::Confined::by_plan(Some(&plan), None, &[], folder.to_str());
    // The folders of this test lie where temporary files do, where it may write too.
    confined.writes.remove(&std::env::temp_dir());
    let other = tempfile::tempdir().unwrap();
    let script = format!(
        "cat here; echo y > there; echo z > {}/new",
        other.path().display()
    );
    let said = run(&confined, &script, bench.folder()).await;
    assert!(
        said.starts_with("x\n") && said.contains("Permission denied"),
        "{said}"
    );
    assert!(bench.folder().join("there").exists() && !other.path().join("new").exists());
}

#[tokio::test]
async fn without_a_sandbox_nothing_is_confined() {
    let tool = SpawnTool::new(SpawnSettings::default()).unwrap();
    let rule = json!({ "id": "cat", "capability": "spawn", "target": { "command": ["cat", "**"] }, "effects": "any", "effect": "allow" });
    let bench = ruled(tool, &json!([rule])).await;
    assert!(matches!(
        bench.submit("!cat /etc/hostname").await,
        Outcome::Completed { .. }
    ));
}
