//! A mounted server over its restarts, and what the gate hears of its listings.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tipstaff_registry::ServerIdentity;
use tipstaff_schema::ServerName;
use tokio::sync::mpsc;

use super::fake::{Ends, Fake, name};
use crate::upstream::Listings;
use crate::{McpServer, ServerError, ServerLimits, ServerStatus};

/// What the gate was told, in order.
#[derive(Debug, PartialEq)]
enum Told {
    Changed,
    Offered(Vec<String>, Option<String>),
}

struct Recorder {
    told: mpsc::UnboundedSender<Told>,
    /// Said by the server while an offer is taken in.
    fails: Mutex<usize>,
}

#[async_trait::async_trait]
impl Listings for Recorder {
    fn changed(&self, _: &ServerName) {
        let _ = self.told.send(Told::Changed);
    }

    async fn offer(
        &self,
        _: &ServerName,
        identity: &ServerIdentity,
        raw: Vec<Value>,
    ) -> Result<(), String> {
        let mut fails = self.fails.lock().unwrap();
        if *fails > 0 {
            *fails -= 1;
            return Err("the disk is full".to_owned());
        }
        let names = raw
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect();
        let _ = self
            .told
            .send(Told::Offered(names, identity.instructions.clone()));
        Ok(())
    }
}

fn offered(names: &[&str]) -> Told {
    Told::Offered(
        names.iter().map(|name| (*name).to_owned()).collect(),
        Some("be kind".to_owned()),
    )
}

fn mounted(
    fails: usize,
) -> (
    McpServer,
    Ends,
    Arc<Recorder>,
    mpsc::UnboundedReceiver<Told>,
) {
    let (sender, told) = mpsc::unbounded_channel();
    let ends = Ends::default();
    let server = McpServer::over(
        name(),
        ServerIdentity::default(),
        Box::new(ends.clone()),
        ServerLimits::default(),
    );
    (
        server,
        ends,
        Arc::new(Recorder {
            told: sender,
            fails: Mutex::new(fails),
        }),
        told,
    )
}

async fn started(names: &[&str]) -> (McpServer, Ends, Fake, mpsc::UnboundedReceiver<Told>) {
    let (server, ends, recorder, mut told) = mounted(0);
    let mut fake = ends.add();
    server.start_into(recorder);
    fake.shake_hands().await;
    fake.list(names, None).await;
    assert_eq!(told.recv().await, Some(offered(names)));
    server.listed(Duration::from_secs(5)).await.unwrap();
    (server, ends, fake, told)
}

#[tokio::test(start_paused = true)]
async fn a_server_is_started_listed_and_stopped() {
    let (server, _ends, mut fake, _told) = started(&["a"]).await;
    assert_eq!(server.status(), ServerStatus::Running);
    server.stop().await;
    assert_eq!(server.status(), ServerStatus::Stopped);
    assert_eq!(fake.read_line().await, "", "its input has ended");
}

#[tokio::test(start_paused = true)]
async fn c097_a_notice_is_told_at_once_and_a_flood_is_one_listing() {
    let (_server, _ends, mut fake, mut told) = started(&["a"]).await;
    for _ in 0..1000 {
        fake.change().await;
    }
    fake.list(&["a", "b"], None).await;
    let mut changes = 0;
    loop {
        match told.recv().await.unwrap() {
            Told::Changed => changes += 1,
            last @ Told::Offered(..) => {
                assert_eq!((changes, last), (1000, offered(&["a", "b"])));
                return;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn c097_a_listing_asked_for_before_a_notice_is_not_offered_after_it() {
    let (_server, _ends, mut fake, mut told) = started(&["a"]).await;
    fake.change().await;
    let request = fake.expect("tools/list").await;
    fake.change().await;
    fake.answer(&request, json!({ "tools": [{ "name": "old" }] }))
        .await;
    fake.list(&["new"], None).await;
    assert_eq!(told.recv().await, Some(Told::Changed));
    assert_eq!(told.recv().await, Some(Told::Changed));
    assert_eq!(told.recv().await, Some(offered(&["new"])));
}

#[tokio::test(start_paused = true)]
async fn c107_a_failed_refresh_offers_nothing_and_is_tried_again() {
    let (_server, _ends, mut fake, mut told) = started(&["a"]).await;
    fake.change().await;
    fake.list(&["a"], Some("c1")).await;
    let request = fake.expect("tools/list").await;
    fake.fail(&request, -32603, "broken").await;
    fake.list(&["a", "b"], None).await;
    assert_eq!(told.recv().await, Some(Told::Changed));
    assert_eq!(told.recv().await, Some(offered(&["a", "b"])));
}

#[tokio::test(start_paused = true)]
async fn a_listing_that_could_not_be_recorded_is_offered_again() {
    let (server, ends, recorder, mut told) = mounted(1);
    let mut fake = ends.add();
    server.start_into(recorder);
    fake.shake_hands().await;
    fake.list(&["a"], None).await;
    fake.list(&["a"], None).await;
    assert_eq!(told.recv().await, Some(offered(&["a"])));
}

#[tokio::test(start_paused = true)]
async fn c112_a_restarted_server_is_listed_anew_before_its_old_listing_counts() {
    let (server, ends, fake, mut told) = started(&["a"]).await;
    let mut next = ends.add();
    drop(fake);
    assert_eq!(told.recv().await, Some(Told::Changed));
    next.shake_hands().await;
    next.list(&["other"], None).await;
    assert_eq!(told.recv().await, Some(offered(&["other"])));
    assert_eq!(server.status(), ServerStatus::Running);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_start_says_so_and_is_tried_again() {
    let (server, ends, recorder, mut told) = mounted(0);
    server.start_into(recorder);
    let error = server.listed(Duration::from_secs(60)).await.unwrap_err();
    assert!(
        matches!(&error, ServerError::Down { why, .. } if why.contains("no such program")),
        "{error}"
    );
    let mut fake = ends.add();
    fake.shake_hands().await;
    fake.list(&[], None).await;
    assert_eq!(told.recv().await, Some(Told::Changed));
    while told.recv().await != Some(offered(&[])) {}
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_slow_and_then_down() {
    let (server, ends, recorder, _told) = mounted(0);
    let _silent = ends.add();
    server.start_into(recorder);
    assert!(matches!(
        server.listed(Duration::from_secs(5)).await,
        Err(ServerError::Slow { .. })
    ));
    let down = server.listed(Duration::from_secs(90)).await.unwrap_err();
    assert!(
        down.to_string().contains("did not answer `initialize`"),
        "{down}"
    );
}
