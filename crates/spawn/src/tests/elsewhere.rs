//! A second placement: commands that run behind `ssh`, by an executor that a host brings along.
//!
//! No port is opened: `ssh` talks to an `sshd` of its own over a pipe.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use serde_json::json;
use tempfile::TempDir;
use tipstaff_gate::{Cancel, ExecError, ExecOutput, Outcome};
use tipstaff_schema::Placement;

use super::bench::{Bench, Yes, place};
use crate::{CommandExecutor, SpawnSettings, SpawnTool, WarrantedCommand};

const SSHD: &str = "/usr/sbin/sshd";

/// Runs the commands of one placement over `ssh`.
#[derive(Debug)]
struct Ssh {
    placement: Placement,
    folder: PathBuf,
}

/// A word that the shell on the other side leaves as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[async_trait::async_trait]
impl CommandExecutor for Ssh {
    fn serves(&self, placement: &Placement) -> bool {
        *placement == self.placement
    }

    async fn run(
        &self,
        command: WarrantedCommand,
        cancel: Cancel,
    ) -> Result<ExecOutput, ExecError> {
        let never = |why: String| ExecError::NeverSent { why };
        if !self.serves(&command.placement()) {
            return Err(never(format!("`{}` is not here", command.placement())));
        }
        assert!(
            command.program().is_none(),
            "nothing is looked up on this machine"
        );
        let words = command.argv().unwrap_or_else(|| {
            let shell = ["bash", "--noprofile", "--norc", "-c", command.text()];
            shell.map(str::to_owned).to_vec()
        });
        let there: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let folder = command.cwd().map(quoted).unwrap_or_default();
        let ran = tokio::process::Command::new("ssh")
            .arg("-F")
            .arg(self.folder.join("client"))
            .args(["lab", &format!("cd {folder} && exec {}", there.join(" "))])
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        tokio::select! {
            ran = ran => {
                let ran = ran.map_err(|error| never(error.to_string()))?;
                let text = String::from_utf8_lossy(&ran.stdout).into_owned();
                command.progress(&text);
                let mut output = ExecOutput::text(format!("exit status {:?}", ran.status.code()), text);
                output.is_error = !ran.status.success();
                Ok(output)
            }
            () = cancel.cancelled() => Err(ExecError::Uncertain { why: "cancelled".to_owned() }),
        }
    }
}

fn keygen(file: &Path) {
    let made = std::process::Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(file)
        .status();
    assert!(made.unwrap().success());
}

/// Keys and settings of both sides; none where there is no `sshd`, which is said, and is an error
/// where nothing may be skipped.
fn lab() -> Option<(TempDir, Ssh)> {
    if !cfg!(target_os = "linux") {
        eprintln!("SKIPPED: commands on a second placement are tested on Linux only");
        return None;
    }
    if !Path::new(SSHD).exists() {
        let why = "no `sshd`: commands on a second placement are not tested (Debian: apt-get install openssh-server)";
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{why}");
        eprintln!("SKIPPED: {why}");
        return None;
    }
    let _there_already = std::fs::create_dir("/run/sshd");
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().canonicalize().unwrap();
    for key in ["host", "key"] {
        keygen(&folder.join(key));
    }
    std::fs::copy(folder.join("key.pub"), folder.join("authorized")).unwrap();
    let at = folder.display();
    let server = format!(
        "HostKey {at}/host\nAuthorizedKeysFile {at}/authorized\nPidFile none\nStrictModes no\nUsePAM no\n\
         PasswordAuthentication no\nPermitRootLogin prohibit-password\nSetEnv TIPSTAFF_PLACE=lab\n"
    );
    std::fs::write(folder.join("server"), server).unwrap();
    let client = format!(
        "Host lab\n  ProxyCommand {SSHD} -i -f {at}/server\n  IdentityFile {at}/key\n  IdentitiesOnly yes\n  \
         UserKnownHostsFile {at}/known\n  StrictHostKeyChecking accept-new\n  BatchMode yes\n  LogLevel ERROR\n"
    );
    std::fs::write(folder.join("client"), client).unwrap();
    let ssh = Ssh {
        placement: place("lab"),
        folder,
    };
    Some((temporary, ssh))
}

async fn bench(settings: SpawnSettings, ssh: Option<Ssh>) -> Bench {
    let mut tool = SpawnTool::with_targets(settings, [place("lab")]).unwrap();
    if let Some(ssh) = ssh {
        tool = tool.with_executor(Arc::new(ssh));
    }
    Bench::new(tool, &json!([]), Some(Arc::new(Yes))).await
}

#[tokio::test]
async fn a_command_for_a_placement_runs_there_and_one_without_runs_here() {
    let Some((_folder, ssh)) = lab() else { return };
    let bench = bench(SpawnSettings::default(), Some(ssh)).await;
    let there = bench.runs("!@lab printenv TIPSTAFF_PLACE").await;
    assert_eq!(there.output.as_deref(), Some("lab\n"), "{there:?}");
    let here = bench.runs("!printenv TIPSTAFF_PLACE").await;
    assert_eq!((here.output.as_deref(), here.is_error), (Some(""), true));
    let shell = bench
        .runs("!@lab echo \"hi !! there\" | tr a-z A-Z; echo $TIPSTAFF_PLACE")
        .await;
    assert_eq!(shell.output.as_deref(), Some("HI !! THERE\nlab\n"));
    let failed = bench.runs("!@lab exit 3").await;
    assert!(failed.is_error);
    assert!(bench.heard.0.lock().unwrap().contains("HI !!"));
    // What is not registered, is not run anywhere.
    assert!(
        bench
            .refused("!@west ls")
            .await
            .starts_with("placement: there is no placement `west`")
    );
}

#[tokio::test]
async fn no_shell_shuts_commands_off_elsewhere_too() {
    let mut settings = SpawnSettings::default();
    settings.no_shell = true;
    let bench = bench(settings, None).await;
    assert_eq!(
        bench.refused("!@lab echo hi").await,
        "prepare: commands are shut off here (`no_shell`)"
    );
}

#[tokio::test]
async fn an_executor_is_never_asked_for_a_place_that_it_does_not_serve() {
    /// Serves another place, and breaks when it is asked all the same.
    #[derive(Debug)]
    struct Elsewhere;

    #[async_trait::async_trait]
    impl CommandExecutor for Elsewhere {
        fn serves(&self, placement: &Placement) -> bool {
            placement.as_str() == "west"
        }

        async fn run(&self, _: WarrantedCommand, _: Cancel) -> Result<ExecOutput, ExecError> {
            panic!("it was asked")
        }
    }
    let tool = SpawnTool::with_targets(SpawnSettings::default(), [place("lab")]).unwrap();
    let tool = tool.with_executor(Arc::new(Elsewhere));
    let bench = Bench::new(tool, &json!([]), Some(Arc::new(Yes))).await;
    assert!(matches!(
        bench.submit("!echo hi").await,
        Outcome::Completed { .. }
    ));
    let why = bench.refused("!@lab echo hi").await;
    assert!(why.contains("nothing here runs commands on `lab`"), "{why}");
}
