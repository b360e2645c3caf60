//! When an index is made, and when the scan serves.

use super::*;

fn of_version(version: u64, list: &[&str]) -> Arc<Snapshot> {
    Arc::new(Snapshot {
        version,
        ..tools(list)
    })
}

fn found(cache: &RouteCache, tools: &Arc<Snapshot>) -> String {
    let open = OpenBreakers::new();
    short(cache.resolve(RouteMode::Strict, tools, &token("fs.read"), &open))
}

#[test]
fn each_version_of_a_snapshot_is_indexed_once() {
    let (cache, one) = (RouteCache::new(), of_version(1, &["a fs.read"]));
    let made = cache.index(&one).unwrap();
    assert!(Arc::ptr_eq(&made, &cache.index(&one).unwrap()));
    let same = of_version(1, &["a fs.read"]);
    assert!(Arc::ptr_eq(&made, &cache.index(&same).unwrap()));
    let two = of_version(2, &["b fs.read"]);
    assert_eq!(
        (found(&cache, &one), found(&cache, &two)),
        ("a".to_owned(), "b".to_owned())
    );
    assert!(!Arc::ptr_eq(&made, &cache.index(&two).unwrap()));
}

#[test]
fn an_older_snapshot_and_one_without_version_are_scanned() {
    let (cache, two) = (RouteCache::new(), of_version(2, &["b fs.read"]));
    let made = cache.index(&two).unwrap();
    let (old, uncounted) = (of_version(1, &["a fs.read"]), of_version(0, &["c fs.read"]));
    assert!(cache.index(&old).is_none() && cache.index(&uncounted).is_none());
    assert_eq!(
        (found(&cache, &old), found(&cache, &uncounted)),
        ("a".to_owned(), "c".to_owned())
    );
    assert!(
        Arc::ptr_eq(&made, &cache.index(&two).unwrap()),
        "the newest is kept"
    );
}

#[test]
fn threads_that_race_for_a_new_index_all_get_the_same_answer() {
    let lines: Vec<String> = (0..2_000).map(|n| format!("t{n:04} fs.read")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (cache, tools) = (RouteCache::new(), of_version(1, &lines));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(found(&cache, &tools), "t0000"));
        }
    });
}
