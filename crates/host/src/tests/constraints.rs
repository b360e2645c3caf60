//! The constraints of a token, on this machine.

use std::sync::Arc;

use serde_json::{Value, json};
use tipstaff_gate::ConstraintChecker;
use tipstaff_schema::Constraint;

use crate::presence::LastSeen;
use crate::*;

async fn said(by: &HostConstraints, constraint: Constraint) -> String {
    match by.check(&constraint).await {
        Ok(()) => "holds".to_owned(),
        Err(why) => why,
    }
}

#[tokio::test]
async fn a_path_exists_where_it_leads_somewhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::File::create(path("file")).unwrap();
    std::os::unix::fs::symlink(path("file"), path("link")).unwrap();
    std::os::unix::fs::symlink(path("gone"), path("dangling")).unwrap();
    let check =
        async |path: String| said(&HostConstraints::new(), Constraint::PathExists { path }).await;
    for there in [path("."), path("file"), path("link")] {
        assert_eq!(check(there).await, "holds");
    }
    for missing in [path("gone"), path("dangling"), path("file/below")] {
        assert!(
            check(missing.clone())
                .await
                .starts_with(&format!("path_exists `{missing}`: "))
        );
    }
    for relative in ["", ".", "src", "~"] {
        assert!(
            check(relative.to_owned())
                .await
                .contains("must be absolute"),
            "{relative}"
        );
    }
    assert_ne!(check("/\0".to_owned()).await, "holds");
}

#[tokio::test]
async fn a_host_is_reachable_where_something_listens() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let check = async |host: &str| {
        let host = host.to_owned();
        said(
            &HostConstraints::new(),
            Constraint::NetReachable { host, port },
        )
        .await
    };
    assert_eq!(check("127.0.0.1").await, "holds");
    drop(listener);
    assert!(
        check("127.0.0.1")
            .await
            .starts_with(&format!("net_reachable `127.0.0.1` port {port}: "))
    );
    assert_ne!(check("").await, "holds");
    let foreign = check("no such\u{1b}[31m host").await;
    assert!(!foreign.contains('\u{1b}'), "{foreign}");
}

#[tokio::test]
async fn a_variable_is_set_or_not() {
    let check = async |name: &str| {
        let name = name.to_owned();
        said(&HostConstraints::new(), Constraint::EnvSet { name }).await
    };
    assert_eq!(check("PATH").await, "holds");
    assert_eq!(
        check("NO_SUCH_VARIABLE").await,
        "env_set `NO_SUCH_VARIABLE`: it is not set"
    );
    for impossible in ["", "A=B", "A\0"] {
        assert!(
            check(impossible)
                .await
                .ends_with("no variable can have this name")
        );
    }
}

#[tokio::test]
async fn a_user_is_present_who_has_just_logged_in() {
    let check = async |by: &HostConstraints| said(by, Constraint::UserPresent).await;
    assert_eq!(
        check(&HostConstraints::new()).await,
        "user_present: nobody can tell here"
    );
    let people = Directory::default();
    let by = HostConstraints::new().presence(Arc::new(people.clone()));
    let absent = "user_present: nobody has answered here within the last five minutes";
    assert_eq!(check(&by).await, absent);
    people.login(Some("eve"), None).unwrap_err();
    assert_eq!(check(&by).await, absent, "a failed login is nobody");
    people.login(None, None).unwrap();
    assert_eq!(check(&by).await, "holds");
}

#[test]
fn presence_ends_after_five_minutes_and_never_lies_in_the_future() {
    let seen = LastSeen::default();
    assert!(!seen.is_recent(0) && !seen.is_recent(i64::MAX));
    seen.now();
    let now = tipstaff_gate::Clock::now(&SystemClock).timestamp();
    assert!(seen.is_recent(now + 1) && seen.is_recent(now + 299));
    assert!(!seen.is_recent(now + 310) && !seen.is_recent(now - 310));
}

#[derive(Debug)]
struct Battery;

#[async_trait::async_trait]
impl CustomConstraint for Battery {
    async fn check(&self, args: &Value) -> Result<(), String> {
        let least = args["least"].as_u64().ok_or("`least` is missing\u{202e}")?;
        if least <= 50 {
            Ok(())
        } else {
            Err("the battery is at 50".to_owned())
        }
    }
}

#[tokio::test]
async fn a_custom_constraint_is_what_the_integrator_makes_it() {
    let by = HostConstraints::new().custom("battery", Arc::new(Battery));
    let check = async |name: &str, args: Value| {
        let (name, args) = (name.to_owned(), args);
        said(&by, Constraint::Custom { name, args }).await
    };
    assert_eq!(check("battery", json!({"least": 20})).await, "holds");
    assert_eq!(
        check("battery", json!({"least": 80})).await,
        "custom `battery`: the battery is at 50"
    );
    assert!(!check("battery", json!({})).await.contains('\u{202e}'));
    assert_eq!(
        check("moon", json!({})).await,
        "custom `moon`: no such constraint is known"
    );
}
