//! The journal of the tour: whole as it is, and with one bit changed in a copy.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tipstaff_journal::{Damage, EndProof, Event, Head, Report, kinds, to_line, verify_export};

use super::Tour;
use super::stop::{Stop, check};
use super::trail::Trail;
use super::voice::{Who, Word};

/// How much of a hash is shown.
const SHOWN: usize = "sha256:".len() + 12;

/// The journal on paper.
pub(super) struct Export {
    file: PathBuf,
    /// As noted elsewhere.
    head: Head,
    /// The event that says to whom the mail went.
    mail: u64,
}

impl Tour<'_> {
    pub(super) async fn verify(&mut self) -> Result<Export, Stop> {
        self.voice.begin("verify", "The journal is verified")?;
        let journal = self.stage.gate.journal();
        let head = journal.head().await.map_err(Stop::broken)?;
        let trail = Trail::since(&**journal, 0).await?;
        let calls = trail.count(&kinds::CALL_RECEIVED);
        let ran = trail.count(&kinds::WARRANT_ISSUED);
        let not = trail.count(&kinds::CALL_REFUSED);
        check(calls == ran + not, || {
            format!("of {calls} calls {ran} ran and {not} did not")
        })?;
        trail.ran(ran)?;
        let file = self.stage.ground.folder().join("journal.jsonl");
        let lines: String = trail
            .events()
            .iter()
            .map(|event| to_line(event) + "\n")
            .collect();
        std::fs::write(&file, lines).map_err(Stop::broken)?;
        let report = verify(&file, &head)?;
        let proven = report.end == EndProof::Proven && report.head == Some(head);
        check(report.is_intact() && proven, || {
            format!("the journal is not whole: {report}")
        })?;
        let events = report.events;
        let chained = format!("exports {events} events; each holds the hash of the one before it");
        self.voice.say(Who::Tipstaff, &chained)?;
        let tip: String = head.hash.to_string().chars().take(SHOWN).collect();
        let whole = format!(
            "whole up to event {}, {tip}…, as noted elsewhere: nothing is missing",
            head.seq
        );
        self.voice.say(Who::Result, &whole)?;
        let counted = format!("{calls} calls: {ran} ran, each on its warrant; {not} did not");
        self.voice.say(Who::Result, &counted)?;
        let tip = json!({ "seq": head.seq, "hash": head.hash });
        self.voice
            .done(&json!({ "events": events, "head": tip, "calls": calls, "ran": ran }))?;
        let mail = trail.events().iter().find(|event| is_mail(event));
        let mail = mail
            .ok_or_else(|| Stop::wrong("the mail is not in the journal"))?
            .seq;
        Ok(Export { file, head, mail })
    }

    pub(super) fn flipped_byte(&mut self, export: &Export) -> Result<(), Stop> {
        self.voice
            .begin("flipped_byte", "One byte of a copy is changed")?;
        let mut bytes = std::fs::read(&export.file).map_err(Stop::broken)?;
        let line = usize::try_from(export.mail)
            .map_err(Stop::broken)?
            .saturating_sub(1);
        let before = bytes.split_inclusive(|byte| *byte == b'\n').take(line);
        let start: usize = before.map(<[u8]>::len).sum();
        let rest = bytes.get(start..).unwrap_or_default();
        let name = rest.windows(4).position(|part| part == b"bob@");
        let byte = name.and_then(|at| bytes.get_mut(start + at));
        let byte = byte.ok_or_else(|| Stop::wrong("bob is not in the export"))?;
        *byte ^= b'b' ^ b'r'; // One bit.
        let copy = export.file.with_file_name("journal-copy.jsonl");
        std::fs::write(&copy, bytes).map_err(Stop::broken)?;
        let flip =
            "flips one bit of a copy, so that the mail seems to have gone to rob@example.org";
        self.voice.say(Who::Attacker, flip)?;
        let report = verify(&copy, &export.head)?;
        let [found] = report.breaks.as_slice() else {
            return Err(Stop::Wrong(format!("one break belongs there: {report}")));
        };
        check(
            found.seq == export.mail && found.damage == Damage::Edited,
            || format!("the break was not found where it is: {report}"),
        )?;
        self.voice.decide(
            Word::Found,
            &format!("event {} was {}", found.seq, found.damage),
        )?;
        self.voice
            .done(&json!({ "seq": found.seq, "damage": found.damage.to_string() }))
    }
}

fn verify(file: &Path, head: &Head) -> Result<Report, Stop> {
    let file = File::open(file).map_err(Stop::broken)?;
    verify_export(BufReader::new(file), Some(head)).map_err(Stop::broken)
}

fn is_mail(event: &Event) -> bool {
    let tool = event.data.get("tool").and_then(Value::as_str);
    event.kind == kinds::CALL_RECEIVED && tool == Some("desk:send_mail")
}
