//! Where paths lead, by which names rules know them, and in which spelling they are sent.

use serde_json::{Value, json};

use super::bench::*;
use crate::*;

async fn bench(rules: Value, links: &[(&str, &str)]) -> Bench {
    let setup = Setup {
        rules,
        ..Setup::default()
    };
    let bench = Bench::new(setup).await;
    let known = links
        .iter()
        .map(|(from, to)| ((*from).to_owned(), (*to).to_owned()));
    bench.links.0.lock().unwrap().extend(known);
    bench
}

fn allow_srv() -> Value {
    json!([{ "id": "srv", "target": "/srv/**", "effect": "allow" }])
}

impl Bench {
    async fn outcome(&self, tool: &str, params: Value) -> String {
        short(&self.submit(Call::new(tool, params)).await)
    }

    fn sent(&self) -> Option<Value> {
        let seen = self.tool.seen.lock().unwrap();
        seen.last().map(|(params, _)| params.clone())
    }
}

#[tokio::test]
async fn a_parent_step_after_a_symlink_is_refused() {
    let bench = bench(allow_srv(), &[("/srv/link", "/srv/far/away")]).await;
    for path in [
        "/srv/link/../a",
        "/srv/b/../link/./../a",
        "/srv/link/../../srv/a",
    ] {
        assert_eq!(
            short(&bench.submit(read(path)).await),
            "refused at resource",
            "{path}"
        );
    }
    for path in ["/srv/b/../a", "/srv/link/b/../a"] {
        assert_eq!(
            short(&bench.submit(read(path)).await),
            "completed",
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_path_that_is_elsewhere_is_not_probed() {
    let bench = bench(allow_srv(), &[("/srv/link", "/etc/shadow")]).await;
    assert_eq!(
        bench
            .outcome("box_read", json!({ "path": "/srv/link" }))
            .await,
        "no_approver"
    );
    assert_eq!(
        bench
            .outcome("box_away", json!({ "path": "/srv/link" }))
            .await,
        "completed"
    );
    assert_eq!(
        bench
            .outcome("box_away", json!({ "path": "/srv/link/../a" }))
            .await,
        "completed"
    );
}

#[tokio::test]
async fn a_deny_by_another_name_holds() {
    let rules = json!([
        { "id": "srv", "target": "/srv/**", "effect": "allow" },
        { "id": "key", "target": "/srv/current/key", "effect": "deny", "guard": true },
        { "id": "ops", "target": "/srv/current/ops/", "effect": "deny" },
        { "id": "pem", "target": "/srv/certs/*.pem", "effect": "deny" },
    ]);
    let links = [
        ("/srv/current/key", "/srv/release-5/key"),
        ("/srv/current/ops", "/srv/release-5/ops"),
        ("/srv/certs", "/srv/release-5/tls"),
    ];
    let bench = bench(rules, &links).await;
    for (path, want) in [
        ("/srv/release-5/key", "denied"),
        ("/srv/release-5/KEY", "denied"),
        ("/srv/release-5/keys", "completed"),
        ("/srv/release-5/ops/x/y", "denied"),
        ("/srv/release-5/ops", "denied"),
        ("/srv/release-5/tls/a.pem", "denied"),
        ("/srv/release-5/tls/a.txt", "completed"),
        ("/srv/release-5/app", "completed"),
    ] {
        assert_eq!(short(&bench.submit(read(path)).await), want, "{path}");
    }
    let verdict = bench
        .gate
        .decide(&bench.session, &read("/srv/release-5/key"), Lookup::Strict);
    assert_eq!(verdict.effect.as_str(), "allow", "to decide never probes");
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_at_use_voids_the_warrant() {
    let rules = json!([{ "id": "srv", "target": "/srv/**", "effect": "allow" }]);
    let bench = bench(rules, &[]).await;
    *bench.links.1.lock().unwrap() = Some(("/srv/a".to_owned(), "/srv/b".to_owned()));
    let outcome = bench.submit(read("/srv/a")).await;
    assert_eq!(short(&outcome), "refused at warrant");
    assert!(matches!(
        outcome,
        Outcome::Refused {
            can_retry: true,
            ..
        }
    ));
    assert_eq!(bench.runs(), 0);
}

#[tokio::test]
async fn the_canonical_spelling_is_sent_for_every_element() {
    let bench = bench(allow_srv(), &[]).await;
    let n = json!(["/srv/./a", "b//c", "/srv/x/../d"]);
    assert_eq!(
        bench.outcome("box_many", json!({ "n": n })).await,
        "completed"
    );
    assert_eq!(
        bench.sent(),
        Some(json!({ "n": ["/srv/a", "/srv/repo/b/c", "/srv/d"] }))
    );
    for n in [json!(["/srv/a", "/etc/b"]), json!(["/etc/b", "/srv/a"])] {
        assert_eq!(
            bench.outcome("box_many", json!({ "n": n })).await,
            "no_approver"
        );
    }
    for n in [
        json!(["/srv/a", 1]),
        json!([["/srv/a"]]),
        json!(["/srv/../../a"]),
    ] {
        assert_eq!(
            bench.outcome("box_many", json!({ "n": n })).await,
            "refused at resource"
        );
    }
}

#[tokio::test]
async fn what_a_server_gets_raw_only_an_exact_pattern_allows() {
    let folder = bench(allow_srv(), &[]).await;
    let exact = json!([{ "id": "one", "target": "/srv/repo/a", "effect": "allow" }]);
    let exact = bench(exact, &[]).await;
    for raw in ["a", "./a", "/srv/repo/a", "/srv//repo/a"] {
        let params = json!({ "path": raw });
        assert_eq!(
            folder.outcome("box_keep", params.clone()).await,
            "no_approver",
            "{raw}"
        );
        assert_eq!(
            exact.outcome("box_keep", params.clone()).await,
            "completed",
            "{raw}"
        );
        assert_eq!(exact.sent(), Some(params), "sent as it came");
    }
    // A server may read a `..` otherwise than we do, and no rule at all is no exact one.
    assert_eq!(
        exact.outcome("box_keep", json!({ "path": "x/../a" })).await,
        "no_approver"
    );
    assert_eq!(
        exact.outcome("box_keep", json!({ "path": "b" })).await,
        "no_approver"
    );
}
