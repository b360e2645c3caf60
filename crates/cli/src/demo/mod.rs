//! `tipstaff demo`: the tour. One folder, one server, one agent, one person; real decisions.
//!
//! Nothing is acted: gate, journal and server are those of every day, only agent and person follow a
//! script. Each step is checked as it happens; one that does not come out as said ends the tour.

mod approver;
mod calls;
mod commands;
mod ground;
mod ledger;
mod mail;
pub(crate) mod server;
mod stage;
mod stop;
mod tools;
mod trail;
mod triage;
mod voice;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use self::ground::Ground;
use self::stage::Stage;
use self::stop::Stop;
use self::voice::{Form, Voice};
use crate::args::DemoArgs;
use crate::exit::{self, Code, FAILED, Failure};

/// The tour ends here at the latest; it takes about a second.
const LIMIT: Duration = Duration::from_secs(60);

const INTRO: &str = "\
An agent (scout) wants things from a server (desk). tipstaff stands between them, and a person (ana)
answers what is asked. Agent and person follow a script; all else is real. Nothing leaves this machine.
";

const NEXT: &str = "
Where to go next
  govern a server of yours   tipstaff wrap -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  answer what it asks        tipstaff approvals
  in a client's mcpServers   \"files\": { \"command\": \"tipstaff\", \"args\": [\"wrap\", \"--\", \"npx\", \"-y\",
                                \"@modelcontextprotocol/server-filesystem\", \"/home/me/notes\"] }
  several, by your own rules tipstaff check -c tipstaff.yaml; tipstaff serve -c tipstaff.yaml
  read on                    README.md, docs/architecture.md";

/// The parts that the steps are played with.
struct Tour<'a> {
    stage: &'a mut Stage,
    voice: &'a mut Voice,
}

pub(crate) async fn run(args: &DemoArgs, json: bool) -> Result<Code, Failure> {
    let started = Instant::now();
    let mut voice = Voice::new(if json { Form::Json } else { Form::People });
    let (ended, kept) = in_a_folder(args, &mut voice).await;
    match ended.and_then(|()| close(&voice, started.elapsed(), kept.as_deref())) {
        Ok(()) | Err(Stop::Unread) => Ok(exit::OK),
        Err(stop) => fail(&mut voice, &stop, kept.as_deref()),
    }
}

/// Plays in a new folder, and removes it unless it is to be kept.
async fn in_a_folder(args: &DemoArgs, voice: &mut Voice) -> (Result<(), Stop>, Option<PathBuf>) {
    let private = std::fs::Permissions::from_mode(0o700);
    let mut folder = tempfile::Builder::new();
    let folder = match folder
        .prefix("tipstaff-demo-")
        .permissions(private)
        .tempdir()
    {
        Ok(folder) => folder,
        Err(error) => return (Err(Stop::broken(error)), None),
    };
    let ended = play(folder.path(), voice).await;
    if args.keep {
        return (ended, Some(folder.keep()));
    }
    (ended.and(folder.close().map_err(Stop::broken)), None)
}

/// Sets the stage, plays, and clears the stage, however it ended.
async fn play(folder: &Path, voice: &mut Voice) -> Result<(), Stop> {
    // The agent's root must be the path that links lead to, as the gate sees it.
    let ground = Ground::at(&std::fs::canonicalize(folder).map_err(Stop::broken)?);
    ground.furnish().map_err(Stop::broken)?;
    let mut stage = Stage::open(ground).await?;
    let ended = tokio::select! {
        ended = tokio::time::timeout(LIMIT, Tour { stage: &mut stage, voice }.play()) => {
            ended.unwrap_or_else(|_| Err(Stop::wrong(format!("it takes longer than {} s", LIMIT.as_secs()))))
        }
        () = interrupted() => Err(Stop::Interrupted),
    };
    stage.close().await;
    ended
}

impl Tour<'_> {
    async fn play(mut self) -> Result<(), Stop> {
        self.voice.line(INTRO)?;
        self.stage.start().await?;
        self.read().await?;
        let mail = self.ask().await?;
        let ticket = self.approve(mail).await?;
        self.run_once(&ticket).await?;
        self.reuse_refused(&ticket).await?;
        self.changed_argument().await?;
        self.denied_path().await?;
        self.unroutable().await?;
        self.command_allowed().await?;
        self.appended_command_asked().await?;
        self.quarantine().await?;
        self.fence().await?;
        self.triage().await?;
        let export = self.verify().await?;
        self.flipped_byte(&export)
    }
}

fn close(voice: &Voice, took: Duration, kept: Option<&Path>) -> Result<(), Stop> {
    let steps = voice.steps();
    let left = match kept {
        Some(folder) => {
            let folder = folder.display();
            format!(
                "The folder stays: {folder}\n  look around in it          tipstaff audit tail --state {folder}/state"
            )
        }
        None => "Nothing is left behind.".to_owned(),
    };
    voice.line(&format!(
        "\nAll {steps} steps came out as said, in {:.1} s. {left}",
        took.as_secs_f64()
    ))?;
    voice.line(NEXT)?;
    voice.end(
        "ok",
        &json!({ "milliseconds": u64::try_from(took.as_millis()).unwrap_or(u64::MAX), "folder": kept }),
    )
}

/// Tells how it ended badly: in JSON on standard output, to people on standard error.
fn fail(voice: &mut Voice, stop: &Stop, kept: Option<&Path>) -> Result<Code, Failure> {
    let (step, number, why) = (voice.step(), voice.steps() + 1, stop.to_string());
    let details = json!({ "failed": step, "why": why, "folder": kept });
    let told = voice
        .fail(&why)
        .and_then(|()| voice.end("failed", &details));
    let message = match (stop, step) {
        _ if voice.form() == Form::Json || told.is_err() => return Ok(FAILED),
        (Stop::Interrupted | Stop::Unread, _) | (_, None) => format!("the tour ended early: {why}"),
        (Stop::Wrong(_) | Stop::Broken(_), Some(step)) => {
            format!("step {number} ({step}) did not come out as said: {why}")
        }
    };
    let kept = kept.map(|folder| format!("; its folder stays: {}", folder.display()));
    Err(Failure::new(FAILED, message + &kept.unwrap_or_default()))
}

/// Waits until somebody wants the tour to end, so that it can tidy up.
async fn interrupted() {
    let on = |kind| async move {
        match signal(kind) {
            Ok(mut signals) => drop(signals.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = on(SignalKind::interrupt()) => {}
        () = on(SignalKind::terminate()) => {}
        () = on(SignalKind::hangup()) => {}
    }
}
