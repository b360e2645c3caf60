//! Keeps one server running: start, list, listen, start again.
//!
//! A notice of a change reaches the gate before anything that the server says after it; a listing
//! that was asked for before a notice is never offered after it. So a server that floods notices
//! keeps only its own tools from being called.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tipstaff_gate::Cancel;
use tipstaff_registry::ServerIdentity;
use tipstaff_schema::sanitization::sanitize_for_display;
use tokio::time::Instant;

use super::link::Link;
use super::server::{Inner, Listings, State};
use super::wire::Hooks;

const FIRST_DELAY: Duration = Duration::from_millis(500);
const LAST_DELAY: Duration = Duration::from_secs(30);
/// A server that held this long is started again without delay having grown.
const HEALTHY: Duration = Duration::from_secs(60);
/// Notices within this time are answered by one listing.
const MERGE: Duration = Duration::from_millis(50);
/// How long the last words and the exit status of a dead server are waited for.
const LAST_BREATH: Duration = Duration::from_millis(100);
const LAST_WORDS: usize = 3;

pub(super) async fn supervise(inner: Arc<Inner>, listings: Arc<dyn Listings>) {
    let mut delay = FIRST_DELAY;
    loop {
        let started = Instant::now();
        let child_stop = Cancel::new();
        let why = match connect(inner.clone(), listings.clone(), child_stop.clone()).await {
            Ok(link) => {
                inner.state.send_replace(State::Up(link.clone()));
                follow(inner.clone(), link, listings.clone()).await
            }
            Err(why) => why,
        };
        // The pins are looked at again before any call after a restart.
        listings.changed(&inner.name);
        child_stop.cancel();
        if inner.stop.is_cancelled() {
            return;
        }
        tokio::time::sleep(LAST_BREATH).await;
        let why = with_last_words(&inner, &why);
        tracing::warn!(server = %inner.name, why, "the server is down and will be started again");
        inner.state.send_replace(State::Down(why));
        delay = if started.elapsed() >= HEALTHY {
            FIRST_DELAY
        } else {
            delay
        };
        tokio::select! {
            () = tokio::time::sleep(delay) => {}
            () = inner.stop.cancelled() => return,
        }
        delay = (delay * 2).min(LAST_DELAY);
    }
}

async fn connect(
    inner: Arc<Inner>,
    listings: Arc<dyn Listings>,
    child_stop: Cancel,
) -> Result<Arc<Link>, String> {
    let streams = inner
        .connect
        .connect(&inner.stderr, child_stop)
        .map_err(|error| error.to_string())?;
    let (weak, told) = (Arc::downgrade(&inner), listings);
    let hooks = Hooks {
        server: inner.name.clone(),
        noise: inner.noise.clone(),
        changed: Arc::new(move || {
            if let Some(inner) = weak.upgrade() {
                inner.notices.fetch_add(1, Ordering::SeqCst);
                told.changed(&inner.name);
                inner.woken.notify_one();
            }
        }),
        closed: Cancel::new(),
    };
    tokio::select! {
        opened = Link::open(streams, inner.limits.max_result_bytes, inner.limits.start, hooks) => {
            opened.map(Arc::new).map_err(|error| match std::error::Error::source(&error) {
                Some(source) => format!("{error}: {source}"),
                None => error.to_string(),
            })
        }
        () = inner.stop.cancelled() => Err("it was stopped".to_owned()),
    }
}

/// Lists at once and after each notice, until the connection ends. Returns why it ended.
async fn follow(inner: Arc<Inner>, link: Arc<Link>, listings: Arc<dyn Listings>) -> String {
    let mut retry = FIRST_DELAY;
    loop {
        let listed = tokio::select! {
            listed = list(inner.clone(), link.clone(), listings.clone()) => listed,
            () = link.closed().cancelled() => return "the connection ended".to_owned(),
            () = inner.stop.cancelled() => return stopped(&link).await,
        };
        let again = match listed {
            Ok(()) => {
                retry = FIRST_DELAY;
                None
            }
            Err(why) => {
                tracing::warn!(server = %inner.name, why, "the listing was not taken; the old one is kept");
                retry = (retry * 2).min(LAST_DELAY);
                Some(retry)
            }
        };
        tokio::select! {
            () = inner.woken.notified() => tokio::time::sleep(MERGE).await,
            () = sleep(again) => {}
            () = link.closed().cancelled() => return "the connection ended".to_owned(),
            () = inner.stop.cancelled() => return stopped(&link).await,
        }
    }
}

async fn sleep(time: Option<Duration>) {
    match time {
        Some(time) => tokio::time::sleep(time).await,
        None => std::future::pending().await,
    }
}

async fn stopped(link: &Link) -> String {
    link.close();
    link.closed().cancelled().await;
    "it was stopped".to_owned()
}

async fn list(
    inner: Arc<Inner>,
    link: Arc<Link>,
    listings: Arc<dyn Listings>,
) -> Result<(), String> {
    let before = inner.notices.load(Ordering::SeqCst);
    let raw = link.list().await.map_err(|error| error.to_string())?;
    if inner.notices.load(Ordering::SeqCst) != before {
        // What came may be older than the notice; the wake-up for the next listing is already there.
        return Ok(());
    }
    let identity = ServerIdentity {
        instructions: link.instructions(),
        ..inner.identity.clone()
    };
    listings.offer(&inner.name, &identity, raw).await?;
    if inner.notices.load(Ordering::SeqCst) != before {
        listings.changed(&inner.name);
    }
    inner.listed.send_modify(|count| *count += 1);
    Ok(())
}

fn with_last_words(inner: &Inner, why: &str) -> String {
    let words = inner.stderr.lines(LAST_WORDS);
    let why = sanitize_for_display(why);
    if words.is_empty() {
        why
    } else {
        format!("{why}; its last words: {}", words.join(" / "))
    }
}
