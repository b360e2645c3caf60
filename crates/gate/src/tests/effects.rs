//! Effects of commands: ceilings, own ground, unknown programs, hosts, links, variables.

use serde_json::json;
use tipstaff_schema::Effect;

use super::bench::*;
use super::commands::*;
use crate::*;

#[tokio::test]
async fn a_ceiling_covers_what_it_says() {
    let touch = |effects| judge(json!([capped(&["touch", "**"], effects)]));
    let read_only = touch(json!("read-only")).await;
    let verdict = read_only.check("touch x", Effect::Ask);
    assert_eq!(verdict.part.as_deref(), Some("writes /srv/repo/x"));
    touch(json!("any"))
        .await
        .check("touch /etc/x", Effect::Allow);
    let table = touch(json!({ "writes": ["./**"] })).await;
    table.check("touch x", Effect::Allow);
    table.check("touch /etc/x", Effect::Ask);
    table.check("touch ../x", Effect::Ask);
    table.check("touch .git/hooks/pre-commit", Effect::Ask);
    let lifted = json!([
        capped(&["touch", "**"], json!("read-only")),
        { "id": "tmp", "capability": "spawn", "action": "write", "target": "/tmp/**", "effect": "allow" },
    ]);
    let lifted = judge(lifted).await;
    lifted.check("touch /tmp/x", Effect::Allow);
    lifted.check("touch /tmp/x /etc/x", Effect::Ask);
}

#[tokio::test]
async fn own_ground_is_out_of_reach_for_commands_whatever_is_allowed() {
    let path = json!({ "id": "paths", "target": "/srv/**", "effect": "allow" });
    let judge = judge_with(&json!([all(), path]), "/srv/repo", &["/srv/repo/state"]).await;
    for text in [
        "cat state/journal.db",
        "rm -rf /srv/repo",
        "mv /srv/repo /srv/x",
        "echo x > state/journal.db",
        "nobody-knows-me --db=state/journal.db",
        "cd state && cat journal.db",
    ] {
        let verdict = judge.check(text, Effect::Deny);
        assert_eq!(verdict.stage, Stage::OwnGround, "{text}");
    }
    for text in ["grep -r x .", "tar cf - /srv", "nobody-knows-me /srv"] {
        judge.check(text, Effect::Ask);
    }
}

#[tokio::test]
async fn a_guard_is_tried_on_the_words_of_an_unknown_program() {
    let judge = judge(json!([
        all(),
        guard("**/.env*"),
        rule("deny", &["git", "push", "**"])
    ]))
    .await;
    for text in [
        "nobody-knows-me .env",
        "nobody-knows-me --file=.env",
        "nobody-knows-me @.env",
    ] {
        judge.check(text, Effect::Deny);
    }
    judge.check("nobody-knows-me a.txt", Effect::Allow);
    let verdict = judge.check("nobody-knows-me git push", Effect::Ask);
    assert!(
        !verdict.guard && verdict.reason.contains("git"),
        "{verdict:?}"
    );
}

#[tokio::test]
async fn a_command_without_unknowns_counts_as_fully_derived() {
    let judge = judge(json!([all(), guard("**/.env*")])).await;
    // Nothing in it that a guard with a target might still concern.
    judge.check("cat a.txt", Effect::Allow);
    judge.check("true", Effect::Allow);
    // Something in it that is not known.
    judge.check("cat \"$X\"", Effect::Ask);
}

#[tokio::test]
async fn hosts_are_judged_by_the_same_rules() {
    let deny = json!({ "id": "no", "target": { "host": "evil.example" }, "effect": "deny" });
    let curl = capped(&["curl", "**flags"], json!({ "connects": ["api.example"] }));
    let judge = judge(json!([curl, deny])).await;
    judge.check("curl https://api.example/x", Effect::Allow);
    judge.check("curl https://other.example/x", Effect::Ask);
    judge.check("curl https://evil.example/x", Effect::Deny);
}

#[tokio::test]
async fn a_link_is_judged_by_where_it_leads() {
    let judge = judge(json!([
        capped(&["cat", "**"], json!("read-only")),
        guard("**/.env*")
    ]))
    .await;
    let submit = |text: &'static str| {
        let (gate, session) = (judge.gate.clone(), Session::launched(agent()));
        async move {
            let call = Call::new("spawn", json!({ "input": text }));
            short(&gate.submit(&session, call, &Cancel::new()).await)
        }
    };
    assert_eq!(submit("cat link").await, "completed");
    for (to, want) in [
        ("/srv/repo/.env", "denied"),
        ("/etc/shadow", "no_approver"),
        ("/srv/repo/b", "completed"),
    ] {
        judge
            .links
            .0
            .lock()
            .unwrap()
            .insert("/srv/repo/link".to_owned(), to.to_owned());
        assert_eq!(submit("cat link").await, want, "{to}");
    }
}

#[tokio::test]
async fn a_command_climbs_out_of_no_symlink_and_reaches_no_denied_file_by_another_name() {
    let key = json!({ "id": "key", "target": "/srv/repo/now/key", "effect": "deny" });
    let judge = judge(json!([
        rule("allow", &["cat", "**"]),
        rule("allow", &["cd", "*"]),
        rule("allow", &["tool", "**"]),
        key,
    ]))
    .await;
    let links = [("now", "old"), ("now/key", "old/key"), ("link", "far/away")];
    let links = links.map(|(from, to)| (format!("/srv/repo/{from}"), format!("/srv/repo/{to}")));
    judge.links.0.lock().unwrap().extend(links);
    for (text, want) in [
        ("cat link/../a", "refused at resource"),
        ("cat link/../*", "refused at resource"),
        ("cd link && cat ../a", "refused at resource"),
        ("tool link/../a", "refused at resource"),
        ("tool s/../x", "completed"),
        ("cat src/../a", "completed"),
        ("cat old/key", "denied"),
        ("cat old/keys", "completed"),
    ] {
        let session = Session::launched(agent());
        let call = Call::new("spawn", json!({ "input": text }));
        let outcome = judge.gate.submit(&session, call, &Cancel::new()).await;
        assert_eq!(short(&outcome), want, "{text}: {outcome:?}");
    }
}

#[tokio::test]
async fn variables_that_the_caller_adds_are_under_the_ceiling() {
    let with = |judge: &Judge, name: &str| {
        let mut call = Call::new("spawn", json!({ "input": "cat a" }));
        call.env.insert(name.to_owned(), "/tmp/x.so".to_owned());
        judge.decide_call(&call).effect
    };
    let strict = judge(json!([capped(&["cat", "**"], json!("read-only"))])).await;
    assert_eq!(with(&strict, "LANG"), Effect::Allow);
    assert_eq!(with(&strict, "LD_PRELOAD"), Effect::Ask);
    let loose = judge(json!([rule("allow", &["cat", "**"])])).await;
    assert_eq!(with(&loose, "LD_PRELOAD"), Effect::Allow);
}

#[tokio::test]
async fn a_folder_that_is_not_known_is_not_the_folder_of_the_call() {
    let mut make = rule("allow", &["touch", "**"]);
    make["cwd"] = json!("./**");
    let mut whole = rule("allow", &["touch", "**"]);
    whole["cwd"] = json!("/srv/repo");
    whole["id"] = json!("whole");
    let judge = judge(json!([rule("allow", &["cd", "*"]), make, whole])).await;
    judge.check("touch x", Effect::Allow);
    judge.check("cd src && touch x", Effect::Allow);
    judge.never_allowed(&["cd /etc && touch x", "cd /etc; touch x", "cd src; touch x"]);
}

#[tokio::test]
async fn what_holds_for_every_command_holds_where_none_is_found() {
    let no = json!({ "id": "none", "capability": "spawn", "effect": "deny" });
    let judge = judge(json!([no])).await;
    for text in ["", "#", "(", "'", "ls"] {
        judge.check(text, Effect::Deny);
    }
}
