//! The tour, as a newcomer starts it: every command of the README that needs nothing else.

use serde_json::json;

use crate::support::tipstaff::Tipstaff;

#[test]
fn the_demo_shows_every_step_and_all_come_out_as_said() {
    let ran = Tipstaff::new().run(&["demo", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut steps = ran.json_lines();
    let end = steps.pop().unwrap();
    assert_eq!(end["demo"], json!("ok"));
    assert_eq!(end["steps"], json!(steps.len()));
    assert!(steps.len() >= 13, "{}", steps.len());
}

#[test]
fn the_demo_tells_a_person_where_to_go_next() {
    let ran = Tipstaff::new().run(&["demo"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("tipstaff wrap"), "{}", ran.stdout);
}

#[test]
fn the_commands_of_the_readme_have_help() {
    for subcommand in ["serve", "check", "wrap", "approvals", "audit"] {
        let ran = Tipstaff::new().run(&[subcommand, "--help"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
}
