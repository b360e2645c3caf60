//! Rules that are offered for a command that is asked: each answers the very call it came from.

use proptest::prelude::*;
use serde_json::{Value, json};
use tipstaff_gate::{Lookup, SuggestedRules};
use tipstaff_policy::wire::RuleWire;
use tipstaff_policy::{PolicySet, World};
use tipstaff_schema::Effect;

use super::bench::{Bench, ruled};
use super::scripts::{Dice, script};
use crate::{SpawnSettings, SpawnTool};

async fn with(rules: &Value) -> Bench {
    ruled(SpawnTool::new(SpawnSettings::default()).unwrap(), rules).await
}

fn suggested(bench: &Bench, input: &str) -> Vec<SuggestedRules> {
    bench
        .gate
        .suggest(&bench.session, &Bench::call(input), Lookup::Strict)
}

/// The command patterns of every suggestion.
fn patterns(bench: &Bench, input: &str) -> Vec<Vec<Vec<String>>> {
    let words = |rule: &Value| serde_json::from_value(rule["target"]["command"].clone()).unwrap();
    let all = suggested(bench, input).into_iter();
    all.map(|rules| rules.rules.iter().map(words).collect())
        .collect()
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// What a call is decided with the suggested rules behind those that there are.
fn decided(bench: &Bench, rules: &Value, suggestion: &SuggestedRules, input: &str) -> Effect {
    let mut all = rules.as_array().unwrap().clone();
    all.extend(suggestion.rules.clone());
    let wires: Vec<RuleWire> = serde_json::from_value(Value::Array(all)).unwrap();
    let policy = PolicySet::compile(wires, &World::default()).unwrap().0;
    bench.gate.replace_policy(policy);
    let call = Bench::call(input);
    bench
        .gate
        .decide(&bench.session, &call, Lookup::Strict)
        .effect
}

#[tokio::test]
async fn the_narrowest_comes_first_and_operands_are_free_only_where_nothing_is_run() {
    let bench = with(&json!([])).await;
    assert_eq!(
        patterns(&bench, "!cat a.txt"),
        [vec![owned(&["cat", "a.txt"])], vec![owned(&["cat", "**"])]]
    );
    assert_eq!(
        patterns(&bench, "!git log v1"),
        [
            vec![owned(&["git", "log", "v1"])],
            vec![owned(&["git", "log", "**"])]
        ]
    );
    // What it does is not known: the words, the folder and no more.
    let rules = suggested(&bench, "!frob --quiet");
    assert_eq!(rules.len(), 1);
    let rule = &rules[0].rules[0];
    assert_eq!(rule["target"]["command"], json!(["frob", "--quiet"]));
    assert_eq!(
        (&rule["effects"], &rule["effect"], &rule["agent"]),
        (&json!("any"), &json!("allow"), &json!("coder"))
    );
    assert_eq!(rule["cwd"], json!(bench.folder().canonicalize().unwrap()));
    assert!(
        rules[0].covers[0].contains("exactly `frob --quiet`"),
        "{rules:?}"
    );
}

#[tokio::test]
async fn c028_the_missing_part_of_a_pipe_is_what_is_offered() {
    let test = json!({ "id": "test", "capability": "spawn", "target": { "command": ["frob", "test", "**flags"] }, "effects": "any", "effect": "allow" });
    let bench = with(&json!([test])).await;
    let offered = patterns(&bench, "!frob test --quiet | tail -25");
    assert_eq!(offered, [vec![owned(&["tail", "-25"])]]);
    let tail = json!({ "id": "tail", "capability": "spawn", "target": { "command": ["tail", "**flags"] }, "effect": "allow" });
    let bench = with(&json!([test, tail])).await;
    assert!(suggested(&bench, "!frob test --quiet | tail -25").is_empty());
    let call = Bench::call("!frob test --quiet | tail -25");
    assert_eq!(
        bench
            .gate
            .decide(&bench.session, &call, Lookup::Strict)
            .effect,
        Effect::Allow
    );
}

#[tokio::test]
async fn c029_what_is_allowed_already_is_not_offered_again() {
    let rules = json!([
        { "id": "cd", "capability": "spawn", "target": { "command": ["cd", "**"] }, "effect": "allow" },
        { "id": "grep", "capability": "spawn", "target": { "command": ["grep", "**flags"] }, "effect": "allow" },
    ]);
    let bench = with(&rules).await;
    // Code of another language is never answered by a rule.
    assert!(patterns(&bench, "!cd /srv/app && python3 -c 'print(1)' | grep -v x").is_empty());
    let input = "!cd /srv/app && frob x | grep -v x";
    assert_eq!(patterns(&bench, input), [vec![owned(&["frob", "x"])]]);
    let suggestion = &suggested(&bench, input)[0];
    assert_eq!(decided(&bench, &rules, suggestion, input), Effect::Allow);
}

#[tokio::test]
async fn c031_no_rule_is_made_of_a_keyword_a_bare_path_or_a_long_text() {
    let bench = with(&json!([])).await;
    assert!(patterns(&bench, "!for i in a b; do echo \"$i\"; done").is_empty());
    assert!(patterns(&bench, "!/opt/f").is_empty());
    assert!(patterns(&bench, &format!("!frob {}", "long ".repeat(60))).is_empty());
    assert_eq!(
        patterns(&bench, "!kubectl get pods -o json > \"snap.json\"").concat(),
        [owned(&["kubectl", "get", "pods", "-o", "json"])]
    );
    let document = format!("!cat > f <<'EOF'\n{}EOF\n", "line\n".repeat(200));
    let offered = suggested(&bench, &document);
    assert_eq!(patterns(&bench, &document).concat(), [owned(&["cat"])]);
    assert_eq!(offered[0].rules[0]["effects"], json!({ "writes": ["./f"] }));
    assert!(offered[0].yaml().len() < 200);
}

#[tokio::test]
async fn c032_interpreters_wrappers_and_removals_get_nothing_wide() {
    let bench = with(&json!([])).await;
    for input in [
        "!python3 -c 'print(1)'",
        "!rm -rf build",
        "!sudo ls",
        "!eval ls",
        "!ls | xargs cat",
    ] {
        assert_eq!(
            patterns(&bench, input),
            [] as [Vec<Vec<String>>; 0],
            "{input}"
        );
    }
    assert_eq!(
        patterns(&bench, "!bash scripts/save.sh"),
        [vec![owned(&["bash", "scripts/save.sh"])]]
    );
    let rule = &suggested(&bench, "!bash scripts/save.sh")[0].rules[0];
    assert!(rule["cwd"].is_string(), "bound to the folder");
    for input in ["!sh -c 'cat a'", "!env cat a", "!nice cat a"] {
        let all = patterns(&bench, input).concat();
        assert!(
            all.iter().all(|words| words[0] == "cat"),
            "{input}: {all:?}"
        );
    }
    assert!(patterns(&bench, "!curl -H 'Authorization: x' https://a.example").is_empty());
}

#[tokio::test]
async fn c035_a_rule_for_a_program_with_blanks_in_its_path_survives_being_written() {
    let bench = with(&json!([])).await;
    for input in [
        "!\"/opt/my tools/cc\" -c a.c",
        "!frob 'a*b' '[x]' '{y}' 'c\\d' '**' '\"q\"' \"it's\"",
    ] {
        let suggestion = suggested(&bench, input).remove(0);
        assert_eq!(
            decided(&bench, &json!([]), &suggestion, input),
            Effect::Allow,
            "{input}"
        );
        let text = suggestion.yaml();
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}

#[tokio::test]
async fn c037_no_absolute_path_below_the_root_is_offered() {
    let bench = with(&json!([])).await;
    let root = bench.folder().canonicalize().unwrap();
    let absolute = format!("!{}/.tools/check a", root.display());
    assert!(patterns(&bench, &absolute).is_empty());
    assert_eq!(
        patterns(&bench, "!.tools/check a"),
        [vec![owned(&[".tools/check", "a"])]]
    );
}

#[tokio::test]
async fn nothing_is_offered_against_a_deny_a_guard_or_a_fresh_ask() {
    let cat =
        json!({ "id": "stop", "capability": "spawn", "target": { "command": ["cat", "**"] } });
    let env = json!({ "id": "stop", "target": "**/a", "effect": "deny" });
    let stopped = |rule: &Value, more: Value| {
        let mut rule = rule.clone();
        rule.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json!([rule])
    };
    for rules in [
        stopped(&cat, json!({ "effect": "deny" })),
        stopped(&cat, json!({ "effect": "deny", "guard": true })),
        stopped(&cat, json!({ "effect": "ask", "fresh": true })),
        stopped(&env, json!({})),
        stopped(&env, json!({ "guard": true })),
    ] {
        assert_eq!(suggested(&with(&rules).await, "!cat a"), [], "{rules}");
    }
}

/// Every offered set of rules answers the call that it came from, and holds nothing that is too wide.
fn check(bench: &Bench, input: &str) -> usize {
    let all = suggested(bench, input);
    for suggestion in &all {
        assert_eq!(
            decided(bench, &json!([]), suggestion, input),
            Effect::Allow,
            "{input}\n{}",
            suggestion.yaml()
        );
        for rule in &suggestion.rules {
            let words: Vec<String> =
                serde_json::from_value(rule["target"]["command"].clone()).unwrap();
            let wide = words
                .iter()
                .any(|word| word == "**" || word == "*" || word == "**flags");
            assert!(
                !wide || rule["effects"] == json!("read-only"),
                "{input}: {rule}"
            );
            assert!(
                words[0] != "*" && words[0] != "**" && !words.iter().any(|word| word == "**flags"),
                "{input}: {rule}"
            );
            assert!(
                rule["agent"] == json!("coder") && rule["effect"] == json!("allow"),
                "{input}: {rule}"
            );
        }
    }
    bench.gate.replace_policy(PolicySet::empty().unwrap());
    all.len()
}

#[test]
fn a_suggestion_answers_the_very_call_it_came_from() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let bench = runtime.block_on(with(&json!([])));
    let mut offered = 0;
    for seed in 0..600 {
        let text = script(&mut Dice(seed), usize::try_from(seed % 3).unwrap());
        offered += check(&bench, &format!("!{text}"));
    }
    assert!(offered > 60, "{offered}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn a_suggestion_for_odd_words_answers_its_call(
        program in "(cat|ls|git log|frob|sort|/opt/a b|head)", words in prop::collection::vec("[-a-z*?\\[\\]{}\\\\,! .=~#\"$/é]{1,8}", 0..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let bench = runtime.block_on(with(&json!([])));
        let quote = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
        let program = if program.contains("a b") { format!("'{program}'") } else { program };
        let text = words.iter().map(quote).fold(program, |text, word| format!("{text} {word}"));
        check(&bench, &format!("!{text}"));
    }
}

/// The commands of files of JSON lines, where `TIPSTAFF_SHELL_DATA` names their folder.
#[test]
fn a_suggestion_for_a_public_command_answers_it() {
    let Some(folder) = std::env::var_os("TIPSTAFF_SHELL_DATA") else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let bench = runtime.block_on(with(&json!([])));
    let (mut rows, mut offered) = (0, 0);
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            rows += 1;
            offered += check(&bench, &format!("!{}", row["cmd"].as_str().unwrap()));
        }
    }
    println!("{rows} commands, {offered} suggestions");
    assert!(offered > 0);
}
