//! Rules on offer: what `decide` prints for a command that is asked goes into the manifest as it is.

use serde_json::{Value, json};

use crate::support::tipstaff::{Ran, Tipstaff};

const MANIFEST: &str = "version: 1\nagents:\n  coder: { root: /srv/p }\nspawn: { sandbox: off }\n";

fn decide(tipstaff: &Tipstaff, input: &str, more: &[&str]) -> Ran {
    let params = json!({ "input": input }).to_string();
    let args = [
        "decide",
        "-c",
        "tipstaff.yaml",
        "--tool",
        "spawn",
        "--params",
        &params,
    ];
    tipstaff.run(&[&args, more].concat())
}

#[test]
fn a_rule_on_offer_goes_into_the_manifest_and_answers_the_call() {
    let tipstaff = Tipstaff::new();
    for input in [
        "!git log v1",
        "!cat 'a*b' \"it's\" 'c\\d' '#x' ': y' 'é' '\"q\"'",
        "!frob --all '{x}' | sort > out.txt",
        "!\"/opt/my tools/cc\" -c a.c",
    ] {
        tipstaff.write("tipstaff.yaml", MANIFEST);
        let asked = decide(&tipstaff, input, &["--json"]);
        let asked = &asked.json_lines()[0];
        assert_eq!(asked["effect"], json!("ask"), "{asked}");
        let offers = asked["suggested"].as_array().unwrap();
        assert!(!offers.is_empty(), "{asked}");
        for offer in offers {
            let rules = offer["yaml"].as_str().unwrap();
            tipstaff.write("tipstaff.yaml", &format!("{MANIFEST}policies:\n{rules}\n"));
            let answered = decide(&tipstaff, input, &["--json"]);
            assert_eq!(
                answered.json_lines()[0]["effect"],
                json!("allow"),
                "{rules}: {answered:?}"
            );
            assert_eq!(answered.json_lines()[0].get("suggested"), None::<&Value>);
        }
    }
}

#[test]
fn words_for_people_show_the_same_rules() {
    let tipstaff = Tipstaff::new();
    tipstaff.write("tipstaff.yaml", MANIFEST);
    let ran = decide(&tipstaff, "!git log v1", &[]);
    assert!(
        ran.stdout
            .contains("a rule for exactly `git log v1`, reading below"),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("- {agent: \"coder\""), "{ran:?}");
    assert!(ran.stdout.contains("[\"git\", \"log\", \"**\"]"), "{ran:?}");
    let params = json!({ "input": "!git log v1" }).to_string();
    let why = tipstaff.run(&[
        "explain",
        "-c",
        "tipstaff.yaml",
        "--tool",
        "spawn",
        "--params",
        &params,
    ]);
    assert!(
        why.stdout.contains("a rule for exactly `git log v1`"),
        "{why:?}"
    );
    let removal = decide(&tipstaff, "!rm -rf build", &[]);
    assert!(!removal.stdout.contains("a rule for"), "{removal:?}");
}
