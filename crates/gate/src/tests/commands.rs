//! Commands, judged whole: the real parser, the real rules, and what others let through.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use serde_json::{Value, json};
use tipstaff_command::{ProgramTable, plan};
use tipstaff_journal::MemoryJournal;
use tipstaff_registry::NativeTool;
use tipstaff_schema::{
    BackendId, CallAccess, Effect, Profile, ToolAnnotations, ToolDescriptor, ToolSource, ToolUsage,
    Verb,
};
use uuid::Uuid;

use super::bench::*;
use crate::*;

/// Reads commands as the spawn tool does, and runs none of them.
#[derive(Debug)]
pub(super) struct Shell;

#[async_trait::async_trait]
impl Executor for Shell {
    fn prepare(&self, call: &ValidCall<'_>) -> Result<Prepared, Refusal> {
        let text = call.params["input"].as_str().unwrap();
        let cwd = call.cwd.or(call.root);
        let mut prepared = Prepared::plain(call.params.clone());
        prepared.action = Some("command".to_owned());
        prepared.cwd = cwd.map(str::to_owned);
        prepared.plan = Some(plan(text, cwd, ProgramTable::builtin()));
        Ok(prepared)
    }

    async fn execute(&self, _: Warrant, _: Cancel) -> Result<ExecOutput, ExecError> {
        Ok(ExecOutput::text("done", "done"))
    }
}

pub(super) struct Judge {
    pub(super) gate: Gate,
    pub(super) links: Arc<Links>,
}

pub(super) fn spawn() -> NativeTool {
    let mut profile = Profile::unknown("spawn");
    profile.access = CallAccess::Write;
    let descriptor = ToolDescriptor {
        tool_id: "spawn".to_owned(),
        source: ToolSource::NativeBackend {
            backend: BackendId::new("spawn"),
        },
        verb: Verb::new("agent", "spawn"),
        description: String::new(),
        input_schema: json!({ "type": "object", "properties": { "input": { "type": "string" } } }),
        output_schema: None,
        capabilities: Vec::new(),
        annotations: ToolAnnotations::default(),
        usage: ToolUsage::default(),
        embedding: None,
        title: None,
        mcp_name: None,
    };
    NativeTool {
        descriptor,
        profile,
    }
}

pub(super) async fn judge_with(rules: &Value, root: &str, own: &[&str]) -> Judge {
    let clock = HandClock::at(start());
    let links = Arc::new(Links::default());
    let facts = AgentFacts {
        root: Some(root.to_owned()),
        owner: None,
    };
    let gate = Gate::builder()
        .journal(Arc::new(MemoryJournal::new(Uuid::from_u128(7), start())))
        .clock(Arc::new(clock))
        .ids(Arc::new(CountingIds(AtomicUsize::new(0))))
        .agents([(agent(), facts)].into_iter().collect())
        .policy(policy(rules))
        .probe(Arc::<Links>::clone(&links))
        .own(OwnGround::new(own.iter().map(|path| (*path).to_owned())))
        .executor(
            ExecutorKey::Native(BackendId::new("spawn")),
            Arc::new(Shell),
        )
        .native(spawn())
        .open()
        .await
        .unwrap();
    Judge { gate, links }
}

impl Judge {
    pub(super) fn decide(&self, text: &str) -> Verdict {
        self.decide_call(&Call::new("spawn", json!({ "input": text })))
    }

    pub(super) fn decide_call(&self, call: &Call) -> Verdict {
        let session = Session::launched(agent());
        self.gate.decide(&session, call, Lookup::Lenient)
    }

    #[track_caller]
    pub(super) fn check(&self, text: &str, want: Effect) -> Verdict {
        let verdict = self.decide(text);
        assert_eq!(verdict.effect, want, "`{text}`: {verdict:?}");
        verdict
    }

    #[track_caller]
    pub(super) fn never_allowed(&self, texts: &[&str]) {
        for text in texts {
            let verdict = self.decide(text);
            assert_ne!(verdict.effect, Effect::Allow, "`{text}`: {verdict:?}");
        }
    }
}

pub(super) async fn judge(rules: Value) -> Judge {
    judge_with(&rules, "/srv/repo", &[]).await
}

/// A rule over commands; an allow with any effects, so that only the words decide.
pub(super) fn rule(effect: &str, words: &[&str]) -> Value {
    let named = words.iter().filter(|word| !word.starts_with('*'));
    let id = [effect]
        .into_iter()
        .chain(named.copied())
        .collect::<Vec<_>>()
        .join("-");
    let mut rule = json!({
        "id": id,
        "capability": "spawn", "target": { "command": words }, "effect": effect,
    });
    if effect == "allow" {
        rule["effects"] = json!("any");
    }
    rule
}

pub(super) fn capped(words: &[&str], effects: Value) -> Value {
    let mut rule = rule("allow", words);
    rule["effects"] = effects;
    rule
}

pub(super) fn guard(path: &str) -> Value {
    json!({ "id": "guard", "target": { "path": path }, "effect": "deny", "guard": true })
}

pub(super) fn all() -> Value {
    rule("allow", &["*", "**flags"])
}

#[tokio::test]
async fn c001_what_is_chained_behind_an_allowed_command_needs_its_own_allow() {
    let judge = judge(json!([rule("allow", &["echo", "**"])])).await;
    judge.check("echo ok", Effect::Allow);
    judge.never_allowed(&[
        "echo ok && touch canary",
        "echo ok ; touch canary",
        "echo ok || touch canary",
        "echo ok & touch canary",
        "echo ok | tee canary",
        "echo ok\ntouch canary",
    ]);
    let verdict = judge.decide("echo ok; touch x");
    assert_eq!(verdict.effect, Effect::Ask);
    assert_eq!(verdict.part.as_deref(), Some("touch x"));
}

#[tokio::test]
async fn c002_a_leading_cd_changes_no_verdict_of_what_follows() {
    let judge = judge(json!([
        rule("allow", &["cd", "*"]),
        rule("ask", &["git", "push", "**"])
    ]))
    .await;
    let verdict = judge.check("cd /srv/app && git push --dry-run", Effect::Ask);
    assert_eq!(verdict.policy_id.as_deref(), Some("ask-git-push"));
    judge.check("cd /srv/app && python3 build.py", Effect::Ask);
}

#[tokio::test]
async fn c004_substitutions_are_judged_like_any_command() {
    let rules = ["echo", "cat", "diff"].map(|program| rule("allow", &[program, "**flags"]));
    let judge = judge(json!(rules)).await;
    judge.never_allowed(&[
        "echo 1 > \"$(touch canary)\"",
        "cat -n < <(touch canary; ls)",
        "diff <(cat a) >(tee canary)",
    ]);
}

#[tokio::test]
async fn c007_rules_apply_behind_leading_assignments() {
    let judge = judge(json!([all(), rule("ask", &["git", "**"])])).await;
    for text in ["LANG=C git commit -m x", "A=1 B=2 git push"] {
        let verdict = judge.check(text, Effect::Ask);
        assert_eq!(verdict.policy_id.as_deref(), Some("ask-git"), "{text}");
    }
}

#[tokio::test]
async fn c008_a_wrapper_hides_nothing_from_a_deny() {
    let judge = judge(json!([
        all(),
        rule("allow", &["npm", "**flags"]),
        rule("deny", &["npm", "publish", "**"])
    ]))
    .await;
    for text in [
        "npm publish",
        "nohup npm publish",
        "timeout 60 npm publish --tag next",
    ] {
        let verdict = judge.check(text, Effect::Deny);
        assert_eq!(verdict.policy_id.as_deref(), Some("deny-npm-publish"));
    }
}

#[tokio::test]
async fn c010_an_allowed_launcher_says_nothing_about_what_it_launches() {
    let judge = judge(json!([rule("allow", &["env", "**flags"])])).await;
    judge.check("env", Effect::Allow);
    judge.never_allowed(&[
        "env sh -c 'touch canary'",
        "env -S 'sh -c date'",
        "env -i PATH=/bin dash -c date",
    ]);
}

#[tokio::test]
async fn c011_commands_handed_to_others_are_judged_as_their_own() {
    let with_all = judge(json!([all(), rule("ask", &["kubectl", "delete", "**"])])).await;
    for text in [
        "cat names | xargs -n1 kubectl delete pod",
        "find . -name '*.yml' -exec kubectl delete -f {} \\;",
    ] {
        with_all.check(text, Effect::Ask);
    }
    let finds = judge(json!([capped(&["find", "**flags"], json!("read-only"))])).await;
    finds.check("find . -name x", Effect::Allow);
    finds.never_allowed(&["find . -delete", "find . -fprint out"]);
}

#[tokio::test]
async fn c013_global_options_dodge_no_rule() {
    let judge = judge(json!([
        rule("allow", &["git", "checkout", "**flags"]),
        capped(&["git", "log", "**flags"], json!("read-only")),
        rule("deny", &["git", "checkout", "--", "**"]),
        rule("deny", &["git", "restore", "**"]),
    ]))
    .await;
    judge.check("git checkout -- notes.txt", Effect::Deny);
    judge.never_allowed(&[
        "git -C /srv/app checkout -- notes.txt",
        "git -c core.pager='touch canary' log",
        "git --paginate show HEAD",
    ]);
    judge.check("git log -p", Effect::Allow);
}

#[tokio::test]
async fn c022_nothing_to_check_is_no_allow() {
    let judge = judge(json!([rule("ask", &["*", "**"])])).await;
    for text in ["git log --", "grep -- x a.txt", "cat -", "", " ", "#", ":"] {
        judge.check(text, Effect::Ask);
    }
}

#[tokio::test]
async fn c023_a_name_that_is_put_together_is_never_allowed() {
    let judge = judge(json!([all(), guard("**/.env*")])).await;
    judge.check("cat .env", Effect::Deny);
    judge.check("cat .e''nv", Effect::Deny);
    judge.check("cat < .env", Effect::Deny);
    judge.never_allowed(&["p=.env; head -3 \"$p\"", "p=.en; head \"${p}v\""]);
    let verdict = judge.decide("cat a.txt && cat ./.env.local");
    assert_eq!(
        (verdict.effect, verdict.stage),
        (Effect::Deny, Stage::Guard)
    );
    assert_eq!(
        verdict.part.as_deref(),
        Some("reads /srv/repo/.env.local"),
        "the strictest part is named"
    );
}

#[tokio::test]
async fn c025_data_of_a_here_document_is_no_command() {
    let judge = judge(json!([
        rule("allow", &["tee", "**flags"]),
        rule("deny", &["dropdb", "**"])
    ]))
    .await;
    let text =
        "tee -a runbook.md <<'END'\nAsk the on-call person first.\ndropdb prod is forbidden.\nEND";
    judge.check(text, Effect::Allow);
    judge.check("dropdb prod", Effect::Deny);
}

#[tokio::test]
async fn c028_every_part_of_a_pipe_needs_an_allow_and_the_missing_one_is_named() {
    let cargo = rule("allow", &["cargo", "test", "**flags"]);
    let tail = capped(&["tail", "**flags"], json!("read-only"));
    let text = "cargo test --quiet | tail -25";
    judge(json!([cargo, tail])).await.check(text, Effect::Allow);
    let verdict = judge(json!([cargo])).await.check(text, Effect::Ask);
    assert_eq!(verdict.part.as_deref(), Some("tail -25"));
}

#[tokio::test]
async fn c034_a_shell_around_a_literal_command_changes_nothing() {
    let judge = judge(json!([rule("allow", &["glab", "ci", "view", "**"])])).await;
    for text in [
        "glab ci view 5",
        "/bin/zsh -lc 'glab ci view 5'",
        "bash -c 'glab ci view 5'",
        "/bin/bash -lc \"glab ci view 5\"",
    ] {
        judge.check(text, Effect::Allow);
    }
    judge.never_allowed(&[
        "bash -c \"glab ci view $X\"",
        "bash -c 'glab ci view 5; touch x'",
    ]);
}

#[tokio::test]
async fn c061_a_recursive_read_asks_only_where_it_may_meet_what_a_rule_stops() {
    let grep = capped(&["grep", "**flags"], json!("read-only"));
    let deny = json!({ "id": "env", "target": "/home/me/p/.env", "effect": "deny" });
    let mut rules = json!([grep, deny]);
    let within = |cwd: &str| {
        let mut call = Call::new("spawn", json!({ "input": "grep -r TODO ." }));
        call.cwd = Some(cwd.to_owned());
        call
    };
    let judge = judge_with(&rules, "/home/me/p", &[]).await;
    assert_eq!(
        judge.decide_call(&within("/home/me/p/src")).effect,
        Effect::Allow
    );
    let verdict = judge.decide_call(&within("/home/me/p"));
    assert_eq!(
        (verdict.effect, verdict.policy_id.as_deref()),
        (Effect::Ask, Some("env"))
    );
    // It is settled by a rule that is more specific and covers the whole folder; a guard never is.
    let settled = json!({
        "id": "all-of-p", "capability": "spawn", "action": "read", "target": "/home/me/p/**", "effect": "allow",
    });
    rules.as_array_mut().unwrap().push(settled);
    let judge = judge_with(&rules, "/home/me/p", &[]).await;
    assert_eq!(
        judge.decide_call(&within("/home/me/p")).effect,
        Effect::Allow
    );
    rules.as_array_mut().unwrap().push(guard("**/.env"));
    let judge = judge_with(&rules, "/home/me/p", &[]).await;
    assert_eq!(judge.decide_call(&within("/home/me/p")).effect, Effect::Ask);
}
