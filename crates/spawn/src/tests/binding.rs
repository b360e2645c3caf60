//! The program that was judged is the program that runs, and a script is what people saw.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tempfile::TempDir;
use tipstaff_approval::{Answer, ApprovalRequest, Subject};
use tipstaff_gate::{Approver, Cancel, Outcome, Vote};
use tipstaff_schema::{Person, Risk};

use super::bench::{Bench, ruled};
use crate::{SpawnSettings, SpawnTool};

/// Says yes, and does something first.
#[derive(Debug)]
struct YesAfter {
    /// What is put where, before the first answer.
    swap: Mutex<Option<(PathBuf, String)>>,
    asked: Mutex<Vec<ApprovalRequest>>,
}

#[async_trait::async_trait]
impl Approver for YesAfter {
    async fn ask(&self, request: &ApprovalRequest) -> Option<Vote> {
        let first = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(request.clone());
            asked.len() == 1
        };
        if let Some((file, text)) = self.swap.lock().unwrap().take() {
            write_program(&file, &text);
        }
        // Of what is asked again, nobody says yes.
        first.then(|| Vote {
            person: Person::new("ana").unwrap(),
            digest: request.digest,
            answer: Answer::Approve,
        })
    }
}

fn write_program(file: &Path, prints: &str) {
    let _old = std::fs::remove_file(file);
    std::fs::write(file, format!("#!/bin/sh\necho {prints}\n")).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A gate over one folder of programs, and somebody who may change a file while being asked.
async fn scene(swap: Option<(PathBuf, &str)>, programs: &Path) -> (Bench, Arc<YesAfter>) {
    let mut settings = SpawnSettings::default();
    settings.path.insert(0, programs.display().to_string());
    let approver = Arc::new(YesAfter {
        swap: Mutex::new(swap.map(|(file, text)| (file, text.to_owned()))),
        asked: Mutex::default(),
    });
    let tool = SpawnTool::new(settings).unwrap();
    let shared: Arc<dyn Approver> = Arc::<YesAfter>::clone(&approver);
    let bench = Bench::new(tool, &json!([]), Some(shared)).await;
    (bench, approver)
}

fn programs() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    write_program(&path.join("say"), "first");
    (folder, path)
}

async fn soon(bench: &Bench, input: &str) -> Outcome {
    let mut call = Bench::call(input);
    call.deadline = Some(chrono::Utc::now() + chrono::TimeDelta::milliseconds(400));
    bench
        .gate
        .submit(&bench.session, call, &Cancel::new())
        .await
}

/// Whether the call waits for another answer than the one that was given.
#[track_caller]
fn asked_anew(outcome: &Outcome, approver: &YesAfter) {
    let asked = approver.asked.lock().unwrap();
    assert!(
        matches!(outcome, Outcome::Pending { .. } | Outcome::Expired { .. }),
        "{outcome:?}"
    );
    assert_eq!(asked.len(), 2);
    assert_ne!(asked[0].digest, asked[1].digest);
}

#[tokio::test]
async fn a_program_that_was_changed_before_it_started_needs_another_answer() {
    let (_folder, path) = programs();
    let (bench, _) = scene(None, &path).await;
    assert_eq!(bench.runs("!say").await.output.as_deref(), Some("first\n"));
    for input in ["!say", "!say; say", "!nice -n 5 say"] {
        let (bench, approver) = scene(Some((path.join("say"), "evil")), &path).await;
        asked_anew(&soon(&bench, input).await, &approver);
        write_program(&path.join("say"), "first");
    }
}

#[tokio::test]
async fn c074_a_script_that_was_rewritten_before_the_answer_does_not_run() {
    let (_folder, path) = programs();
    for input in ["!sh work/s.sh", "!sh work/s.sh | cat", "!bash -x work/s.sh"] {
        let (bench, approver) = scene(None, &path).await;
        let script = bench.folder().canonicalize().unwrap().join("work/s.sh");
        std::fs::create_dir(script.parent().unwrap()).unwrap();
        write_program(&script, "A");
        *approver.swap.lock().unwrap() = Some((script.clone(), "B".to_owned()));
        asked_anew(&soon(&bench, input).await, &approver);
        let asked = approver.asked.lock().unwrap();
        let Subject::Call { preview } = &asked[0].subject else {
            panic!("a call is asked")
        };
        assert_eq!(preview.bound, [script.display().to_string()]);
        assert_eq!(preview.risk, Risk::High);
    }
}

#[tokio::test]
async fn an_unchanged_script_runs_after_the_answer() {
    let (_folder, path) = programs();
    let (bench, approver) = scene(None, &path).await;
    write_program(&bench.folder().join("s.sh"), "A");
    assert_eq!(bench.runs("!sh s.sh").await.output.as_deref(), Some("A\n"));
    assert_eq!(approver.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_link_is_run_by_the_file_to_which_it_led_when_it_was_judged() {
    let (_folder, path) = programs();
    write_program(&path.join("real"), "\"$0\"");
    symlink("real", path.join("other")).unwrap();
    let (bench, _) = scene(None, &path).await;
    let real = format!("{}\n", path.join("real").display());
    assert_eq!(bench.runs("!other").await.output, Some(real));
}

#[tokio::test]
async fn the_first_folder_that_has_the_program_counts() {
    let (_first, first) = programs();
    let (_second, second) = programs();
    write_program(&second.join("say"), "second");
    let mut settings = SpawnSettings::default();
    settings.path = [&first, &second]
        .map(|path| path.display().to_string())
        .to_vec();
    let bench = super::bench::bench(settings).await;
    assert_eq!(bench.runs("!say").await.output.as_deref(), Some("first\n"));
    std::fs::remove_file(first.join("say")).unwrap();
    assert_eq!(bench.runs("!say").await.output.as_deref(), Some("second\n"));
}

#[tokio::test]
async fn a_program_that_the_agent_may_write_is_asked_whatever_a_rule_allows() {
    let (_folder, path) = programs();
    let mut settings = SpawnSettings::default();
    settings.path = vec![path.display().to_string()];
    let allow = json!({ "id": "say", "capability": "spawn", "target": { "command": ["{say,./say}"] }, "effects": "any", "effect": "allow" });
    let write = json!({ "id": "write", "capability": "spawn", "target": format!("{}/**", path.display()), "action": "write", "effect": "allow" });
    let tool = || SpawnTool::new(settings.clone()).unwrap();
    let fixed = ruled(tool(), &json!([allow])).await;
    assert_eq!(fixed.runs("!say").await.output.as_deref(), Some("first\n"));
    let why = |outcome: Outcome| match outcome {
        Outcome::NoApprover { why } => why,
        other => panic!("{other:?}"),
    };
    // A rule lets it write there.
    let writable = ruled(tool(), &json!([allow, write])).await;
    let said = why(writable.submit("!say").await);
    assert!(
        said.contains("the program lies where the agent may write"),
        "{said}"
    );
    assert!(said.contains("/say)"), "{said}");
    // It lies below the agent's root.
    write_program(&fixed.folder().join("say"), "own");
    assert!(why(fixed.submit("!./say").await).contains("may write"));
    // It lies in a folder that is not known, or is made by the command itself.
    let script = json!({ "id": "own", "capability": "spawn", "target": { "command": ["{./made,cd,cp}", "**"] }, "effects": "any", "effect": "allow" });
    for input in ["!cd sub; ./made", "!cp a made && ./made"] {
        let mut settings = SpawnSettings::default();
        settings.path.insert(0, path.display().to_string());
        let bench = ruled(SpawnTool::new(settings).unwrap(), &json!([script])).await;
        assert!(
            why(bench.submit(input).await).contains("may write"),
            "{input}"
        );
    }
    // Everybody may write it.
    std::fs::set_permissions(path.join("say"), std::fs::Permissions::from_mode(0o757)).unwrap();
    assert!(why(fixed.submit("!say").await).contains("may write"));
}

#[tokio::test]
async fn a_program_that_is_swapped_while_the_call_is_judged_does_not_run() {
    let (_folder, path) = programs();
    write_program(&path.join("evil"), "evil");
    let mut settings = SpawnSettings::default();
    settings.path.insert(0, path.display().to_string());
    let allow = json!({ "id": "say", "capability": "spawn", "target": { "command": ["{say,cat}"] }, "effects": "any", "effect": "allow" });
    for input in ["!say", "!say | cat"] {
        let bench = ruled(SpawnTool::new(settings.clone()).unwrap(), &json!([allow])).await;
        assert_eq!(bench.runs(input).await.output.as_deref(), Some("first\n"));
        *bench.files.swap.lock().unwrap() = Some((path.join("say"), path.join("evil")));
        let why = bench.refused(input).await;
        assert!(
            why.contains("was changed since the call was judged"),
            "{why}"
        );
        write_program(&path.join("say"), "first");
    }
}
