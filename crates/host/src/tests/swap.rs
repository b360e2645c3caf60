//! A symlink that is swapped while a call is judged: the real probe, the real gate.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tipstaff_approval::{Answer, ApprovalRequest};
use tipstaff_gate::*;
use tipstaff_journal::MemoryJournal;
use tipstaff_policy::{PolicySet, World};
use tipstaff_registry::NativeTool;
use tipstaff_schema::{
    AgentId, BackendId, Person, Profile, ResourceKind, ResourceRule, Role, ToolAnnotations,
    ToolDescriptor, ToolSource, ToolUsage, Verb,
};

use crate::{FileProbe, RandomIds, SystemClock};

/// Reads nothing and counts.
#[derive(Debug, Default)]
struct Reader(AtomicUsize);

#[async_trait::async_trait]
impl Executor for Reader {
    fn prepare(&self, call: &ValidCall<'_>) -> Result<Prepared, Refusal> {
        Ok(Prepared::plain(call.params.clone()))
    }

    async fn execute(&self, _: Warrant, _: Cancel) -> Result<ExecOutput, ExecError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(ExecOutput::text("read", "read"))
    }
}

/// The real probe, and somebody who swaps the link as soon as it was looked at.
#[derive(Debug)]
struct Race(Mutex<Option<(PathBuf, PathBuf)>>);

impl PathProbe for Race {
    fn resolve(&self, path: &str) -> Result<String, String> {
        let seen = FileProbe.resolve(path);
        if let Some((link, to)) = self
            .0
            .lock()
            .unwrap()
            .take_if(|(link, _)| link.to_str() == Some(path))
        {
            swap(&link, &to);
        }
        seen
    }
}

fn swap(link: &std::path::Path, to: &std::path::Path) {
    std::fs::remove_file(link).unwrap();
    symlink(to, link).unwrap();
}

#[derive(Debug)]
struct Everyone;

impl People for Everyone {
    fn roles(&self, _: &Person) -> Vec<Role> {
        vec![Role::new("approver").unwrap()]
    }
}

/// Leaves the answer to the test.
#[derive(Debug)]
struct Silent;

#[async_trait::async_trait]
impl Approver for Silent {
    async fn ask(&self, _: &ApprovalRequest) -> Option<Vote> {
        None
    }
}

struct Scene {
    folder: tempfile::TempDir,
    root: PathBuf,
    reader: Arc<Reader>,
    race: Arc<Race>,
    gate: Gate,
}

/// A folder with `good`, `evil` and `link -> good`; agents may read what lies in it but `evil`.
async fn scene(effect: &str) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    for name in ["good", "evil", "other"] {
        std::fs::write(root.join(name), name).unwrap();
    }
    std::fs::create_dir(root.join("far")).unwrap();
    symlink("good", root.join("link")).unwrap();
    symlink(root.join("far"), root.join("way")).unwrap();
    let mut profile = Profile::unknown("read");
    profile.resources = vec![ResourceRule {
        kind: ResourceKind::Path,
        from: "/path".to_owned(),
        access: None,
        optional: false,
        on: None,
    }];
    let descriptor = ToolDescriptor {
        tool_id: "read".to_owned(),
        source: ToolSource::NativeBackend {
            backend: BackendId::new("box"),
        },
        verb: Verb::new("box", "read"),
        description: String::new(),
        input_schema: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
        output_schema: None,
        capabilities: Vec::new(),
        annotations: ToolAnnotations::default(),
        usage: ToolUsage::default(),
        embedding: None,
        title: None,
        mcp_name: None,
    };
    let rules = json!([
        { "id": "here", "target": "./**", "effect": effect },
        { "id": "evil", "target": "./evil", "effect": "deny" },
    ]);
    let rules = serde_json::from_value(rules).unwrap();
    let facts = AgentFacts {
        root: Some(root.to_str().unwrap().to_owned()),
        owner: None,
    };
    let now = SystemClock.now();
    let (reader, race) = (
        Arc::new(Reader::default()),
        Arc::new(Race(Mutex::new(None))),
    );
    let gate = Gate::builder()
        .journal(Arc::new(MemoryJournal::new(RandomIds.fresh(now), now)))
        .clock(Arc::new(SystemClock))
        .ids(Arc::new(RandomIds))
        .agents(
            [(AgentId::new("coder").unwrap(), facts)]
                .into_iter()
                .collect(),
        )
        .policy(PolicySet::compile(rules, &World::default()).unwrap().0)
        .people(Arc::new(Everyone))
        .approver(Arc::new(Silent))
        .probe(Arc::<Race>::clone(&race))
        .executor(
            ExecutorKey::Native(BackendId::new("box")),
            Arc::<Reader>::clone(&reader),
        )
        .native(NativeTool {
            descriptor,
            profile,
        })
        .open()
        .await
        .unwrap();
    Scene {
        folder,
        root,
        reader,
        race,
        gate,
    }
}

impl Scene {
    fn call(path: &str) -> Call {
        Call::new("read", json!({ "path": path }))
    }

    fn session() -> Session {
        Session::launched(AgentId::new("coder").unwrap())
    }

    async fn submit(&self, path: &str) -> Outcome {
        self.gate
            .submit(&Self::session(), Self::call(path), &Cancel::new())
            .await
    }

    fn runs(&self) -> usize {
        self.reader.0.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn a_link_is_judged_by_where_it_leads() {
    let scene = scene("allow").await;
    assert!(matches!(
        scene.submit("link").await,
        Outcome::Completed { .. }
    ));
    swap(&scene.root.join("link"), &scene.root.join("evil"));
    assert!(matches!(scene.submit("link").await, Outcome::Denied { .. }));
    swap(
        &scene.root.join("link"),
        std::path::Path::new("/etc/passwd"),
    );
    let (session, call) = (Scene::session(), Scene::call("link"));
    let outcome = scene.gate.start(&session, call, &Cancel::new()).await;
    assert!(matches!(outcome, Outcome::Pending { .. }), "{outcome:?}");
    assert_eq!(scene.runs(), 1);
    drop(scene.folder);
}

#[tokio::test]
async fn a_parent_step_after_a_link_is_refused_and_one_after_a_folder_is_not() {
    let scene = scene("allow").await;
    for (path, want) in [
        ("way/../good", false),
        ("far/../good", true),
        ("way/new", true),
        ("./way/.././good", false),
    ] {
        let outcome = scene.submit(path).await;
        assert_eq!(
            matches!(outcome, Outcome::Completed { .. }),
            want,
            "{path}: {outcome:?}"
        );
        let refused = matches!(
            outcome,
            Outcome::Refused {
                stage: Stage::Resource,
                ..
            }
        );
        assert_eq!(refused, !want, "{path}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_link_that_is_swapped_between_judging_and_use_voids_the_warrant() {
    for (to, want) in [("evil", Stage::Warrant), ("other", Stage::Warrant)] {
        let scene = scene("allow").await;
        let link = scene.root.join("link");
        *scene.race.0.lock().unwrap() = Some((link, scene.root.join(to)));
        let outcome = scene.submit("link").await;
        assert!(
            matches!(&outcome, Outcome::Refused { stage, .. } if *stage == want),
            "{outcome:?}"
        );
        assert_eq!(scene.runs(), 0, "{to}");
    }
}

#[tokio::test]
async fn a_link_that_is_swapped_after_the_answer_is_not_what_was_approved() {
    for to in ["evil", "other"] {
        let scene = scene("ask").await;
        let session = Scene::session();
        let call = Scene::call("link");
        let outcome = scene
            .gate
            .start(&session, call.clone(), &Cancel::new())
            .await;
        let Outcome::Pending { ticket } = outcome else {
            panic!("{outcome:?}")
        };
        let ana = Person::new("ana").unwrap();
        scene
            .gate
            .answer(ticket.approval_id, ticket.digest, Answer::Approve, &ana)
            .await
            .unwrap();
        swap(&scene.root.join("link"), &scene.root.join(to));
        let outcome = scene
            .gate
            .resume(&session, &ticket, call.clone(), &Cancel::new())
            .await;
        assert!(!matches!(outcome, Outcome::Completed { .. }), "{outcome:?}");
        assert_eq!(scene.runs(), 0, "{to}");
    }
}
