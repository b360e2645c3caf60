//! What use teaches, from when on, and how much of it is kept.

use super::{ids, index, tool};
use crate::{HybridIndex, MAX_PER_TOOL, MAX_SEEN, MIN_SEEN};

const WISHES: [&str; 5] = [
    "umbrella today",
    "umbrella tomorrow",
    "umbrella outside",
    "big umbrella",
    "umbrella tonight",
];

fn two() -> HybridIndex {
    index(&[
        tool("a", "forecast", "Says more."),
        tool("b", "umbrella", "Sells one."),
    ])
}

#[test]
fn use_counts_once_several_different_queries_led_to_a_tool() {
    let index = two();
    for wish in &WISHES[..MIN_SEEN - 1] {
        assert!(index.observe(wish, "a"));
        assert_eq!(ids(&index, "umbrella now"), ["b"], "too little was seen");
    }
    assert!(index.observe(WISHES[0], "a"));
    assert_eq!(
        ids(&index, "umbrella now"),
        ["b"],
        "the same again is no evidence"
    );
    assert!(index.observe(WISHES[MIN_SEEN - 1], "a"));
    assert_eq!(ids(&index, "umbrella now"), ["b", "a"]);
}

#[test]
fn a_tool_that_is_not_there_teaches_nothing() {
    let index = two();
    assert!(!index.observe("umbrella", "c"));
    assert_eq!(index.holds().1, 0);
}

#[test]
fn another_definition_forgets_what_was_learnt_and_the_same_does_not() {
    let index = two();
    for wish in WISHES {
        index.observe(wish, "a");
    }
    index.put(tool("a", "forecast", "Says more."));
    assert_eq!(index.holds().1, WISHES.len());
    index.put(tool("a", "forecast", "Something else."));
    assert_eq!(index.holds().1, 0);
    assert_eq!(ids(&index, "umbrella now"), ["b"]);
}

#[test]
fn what_is_kept_of_use_is_bounded() {
    let index = index(&[tool("a", "x", "y"), tool("b", "x", "y")]);
    for number in 0..3 * MAX_PER_TOOL {
        index.observe(&format!("wish{number}"), "a");
        index.observe("", "b");
    }
    assert_eq!(index.holds().1, MAX_PER_TOOL);
}

#[test]
fn what_is_kept_in_all_is_bounded() {
    let mut seen = crate::seen::Seen::new();
    let slots = u32::try_from(MAX_SEEN / MAX_PER_TOOL + 9).expect("small");
    for slot in 0..slots {
        for query in 0..MAX_PER_TOOL {
            seen.observe(slot, &crate::bag::Bag::collect([(query as u64, 4)]));
        }
    }
    assert_eq!(seen.total(), MAX_SEEN);
}
