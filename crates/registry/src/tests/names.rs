//! Names that clash, that pass for another, or that cannot be used.

use super::offer::{reviewed, with};
use super::*;
use crate::PinMode::{Captured, FirstUse, Reviewed};

#[test]
fn c098_c100_a_tool_s_name_does_not_depend_on_other_servers() {
    for order in [["pay", "evil"], ["evil", "pay"]] {
        let mut world = World::default();
        for name in order {
            world.offer_as(name, &identity(), Captured, &[tool("send")]);
            assert_eq!(world.standing(&format!("{name}:send")), "callable");
        }
        let now = world.catalog.snapshot();
        assert!(now.by_name("send").is_none());
        assert_eq!(now.named_alike("send"), ["evil:send", "pay:send"]);
    }
}

#[test]
fn c116_one_bad_tool_spoils_no_other() {
    let mut world = World::default();
    let bad = with(
        tool("bad"),
        "inputSchema",
        json!({ "$ref": "#/$defs/none" }),
    );
    let told = world.offer(
        FirstUse,
        &[
            tool("a"),
            bad,
            json!({ "name": 7 }),
            json!("x"),
            json!({ "name": "none" }),
            with(tool("b\u{7}"), "x", json!(1)),
        ],
    );
    assert_eq!(
        told,
        [
            "listed files",
            "refused entry 2: it has no name",
            "refused entry 3: it has no name",
            "refused entry 5: its name `b\\u{7}` holds a blank or a control character, which no rule can name",
            "pinned mcp:files:a FirstUse",
            "refused files:bad: schema refers to `#/$defs/none`, which is not in the document: only references inside it are followed",
            "refused files:none: it has no `inputSchema`",
        ],
    );
    assert_eq!(world.standing("files:a"), "callable");
    assert!(matches!(
        world.accept("mcp:files:bad", None),
        Err(CatalogError::Refused { .. })
    ));
}

#[test]
fn a_name_that_is_listed_twice_is_refused() {
    let twin = with(tool("a"), "title", json!("x"));
    let mut world = World::default();
    world.offer(FirstUse, &[tool("a"), twin.clone(), tool("b"), tool("b")]);
    assert_eq!(
        world.standing("files:a"),
        "refused: the server lists this name twice, with two definitions"
    );
    assert_eq!(world.standing("files:b"), "callable");
    let mut other = World::default();
    other.offer(FirstUse, &[twin, tool("b"), tool("a")]);
    let pin = |world: &World| world.catalog.snapshot().by_name("files:a").unwrap().pin;
    assert_eq!(pin(&world), pin(&other));
}

#[track_caller]
fn check_shadow(name: &str, why: &str) {
    let mut world = reviewed();
    let told = world.offer(FirstUse, &[tool("read"), tool(name)]);
    assert_eq!(told, [format!("quarantined mcp:files:{name}")]);
    assert_eq!(
        world.standing(&format!("files:{name}")),
        format!("quarantined: shadowing: {why}")
    );
    assert_eq!(world.standing("files:read"), "callable");
    world.restart();
    assert_eq!(world.offer(Captured, &[tool("read"), tool(name)]), [""; 0]);
    assert!(
        world
            .standing(&format!("files:{name}"))
            .starts_with("quarantined")
    );
    world.accept(&format!("mcp:files:{name}"), None).unwrap();
    assert_eq!(world.offer(Reviewed, &[tool("read"), tool(name)]), [""; 0]);
    assert_eq!(world.standing(&format!("files:{name}")), "callable");
}

#[test]
fn names_that_pass_for_another_are_quarantined() {
    let alike = "its name passes for that of `files:read`";
    check_shadow("Read", alike);
    check_shadow("r\u{0435}ad", alike);
    check_shadow("re\u{200b}ad", alike);
    check_shadow(
        "wr\u{200b}ite",
        "its name holds characters that cannot be seen",
    );
}

#[test]
fn of_two_new_names_that_pass_for_each_other_neither_is_callable() {
    let mut world = World::default();
    assert_eq!(
        world.offer(FirstUse, &[tool("read"), tool("Read")]).len(),
        3
    );
    assert!(
        world
            .standing("files:read")
            .starts_with("quarantined: shadowing")
    );
    assert!(
        world
            .standing("files:Read")
            .starts_with("quarantined: shadowing")
    );
}
