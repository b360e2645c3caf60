//! Whether one pattern means all that another means: never wrongly yes, over every short command.

use crate::{CommandPattern, Reading, SimpleCommand, Word, WordShape};

fn pattern(words: &str) -> CommandPattern {
    CommandPattern::parse(words.split(' ').map(str::to_owned).collect()).unwrap()
}

fn covers(outer: &str, reading: Reading, inner: &str, inner_reading: Reading) -> bool {
    pattern(outer).covers(reading, &pattern(inner), inner_reading)
}

#[test]
fn a_rest_covers_what_follows_and_an_allow_no_flag() {
    use Reading::{Allow, Strict};
    assert!(covers("git **", Allow, "git status **", Allow));
    assert!(covers("git **", Strict, "git push --force **", Allow));
    assert!(covers("rm -r **", Strict, "rm -r x", Strict));
    assert!(!covers("git **", Allow, "git -v", Allow));
    assert!(!covers("git status", Allow, "git status **", Allow));
    assert!(!covers("git **", Allow, "git push", Strict));
    assert!(!covers("** -r", Strict, "rm -r", Strict));
}

const TEXTS: [&str; 15] = [
    "git",
    "git status",
    "git **",
    "git status **",
    "git -r **",
    "git * -r",
    "git * **",
    "** x",
    "git **flags",
    "* **",
    "git -r",
    "rm -r **",
    "** -r",
    "git x*",
    "git -* x",
];

/// Every command of up to three of these words, the second also as the shell expands it.
fn commands() -> Vec<SimpleCommand> {
    const WORDS: [&str; 10] = [
        "git",
        "rm",
        "status",
        "x",
        "xy",
        "-r",
        "-rf",
        "--",
        "-",
        "--recursive",
    ];
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..3 {
        let longer =
            |head: &Vec<&'static str>| WORDS.map(|word| [head.as_slice(), &[word]].concat());
        last = last.iter().flat_map(longer).collect();
        all.extend(last.clone());
    }
    let simple = |words: &Vec<&str>, second: WordShape| {
        let shape = |n: usize| if n == 1 { second } else { WordShape::Literal };
        let words = words.iter().enumerate().map(|(n, text)| Word {
            text: (*text).to_owned(),
            shape: shape(n),
        });
        SimpleCommand {
            words: words.collect(),
            ..SimpleCommand::default()
        }
    };
    let both = [WordShape::Literal, WordShape::Expanded];
    all.iter()
        .flat_map(|words| both.map(|shape| simple(words, shape)))
        .collect()
}

#[test]
fn no_pattern_is_said_to_cover_one_that_means_more() {
    let commands = commands();
    let readings = [Reading::Allow, Reading::Strict];
    let pairs = readings
        .into_iter()
        .flat_map(|one| readings.map(|other| (one, other)));
    for (reading, inner_reading) in pairs {
        for (outer, inner) in TEXTS
            .iter()
            .flat_map(|one| TEXTS.map(|other| (*one, other)))
        {
            if !covers(outer, reading, inner, inner_reading) {
                continue;
            }
            let (wide, narrow) = (pattern(outer), pattern(inner));
            let escapes = |command: &&SimpleCommand| {
                narrow.matches(command, inner_reading) && !wide.matches(command, reading)
            };
            let escaped = commands.iter().find(escapes);
            assert!(
                escaped.is_none(),
                "{outer} {reading:?}, {inner} {inner_reading:?}: {escaped:?}"
            );
        }
    }
}
