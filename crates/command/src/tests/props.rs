//! Properties: no text makes the planner panic, and no command of a chain is lost.

use proptest::prelude::*;

use super::plans::plan;

fn simple() -> impl Strategy<Value = String> {
    let word = "[a-z0-9./]{1,6}";
    ("(git|ls|cat|rm|frob)", prop::collection::vec(word, 0..4)).prop_map(|(program, words)| {
        let words: Vec<String> = std::iter::once(program).chain(words).collect();
        words.join(" ")
    })
}

fn joined(parts: &[String], how: u8) -> String {
    let between = [" ; ", " && ", " || ", " | ", " & ", "\n", " |& "];
    let list = parts.join(between[usize::from(how) % between.len()]);
    match how % 5 {
        0 => list,
        1 => format!("({list})"),
        2 => format!("{{ {list}; }}"),
        3 => format!("if {list}; then true; fi"),
        _ => format!("echo \"$({list})\""),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_command_of_a_chain_is_found(parts in prop::collection::vec(simple(), 1..6), how in any::<u8>()) {
        let text = joined(&parts, how);
        let plan = plan(&text);
        for part in &parts {
            let words: Vec<&str> = part.split(' ').collect();
            let found = plan.commands.iter().any(|command| {
                command.words.iter().map(|word| word.text.as_str()).eq(words.iter().copied())
            });
            prop_assert!(found, "{} in {}", part, text);
        }
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = plan(&text);
    }

    #[test]
    fn no_shell_like_text_panics(text in "[a-z$(){}<>|&;'\"`\\\\\n \\[\\]*=#!~-]{0,40}") {
        let plan = plan(&text);
        prop_assert!(!plan.commands.is_empty() || !plan.unknowns.is_empty());
    }

    /// Quoting a word, naming the program by its standard path, and blanks change nothing.
    #[test]
    fn spelling_does_not_matter(part in simple()) {
        let words: Vec<String> = part.split(' ').map(str::to_owned).collect();
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let plain = plan(&part);
        for other in [quoted.join("   "), format!("/usr/bin/{part}"), format!("LC_ALL=C {part}")] {
            let other = plan(&other);
            prop_assert_eq!(&plain.commands[0].words, &other.commands[0].words);
            prop_assert_eq!(&plain.effects, &other.effects);
            prop_assert_eq!(&plain.unknowns, &other.unknowns);
        }
    }
}
