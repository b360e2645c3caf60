//! People, locks, ids.

use std::collections::BTreeMap;

use tipstaff_gate::{Ids, Instances, People};
use tipstaff_schema::{Person, Role};
use uuid::Uuid;

use crate::*;

/// Argon2id of `correct horse`, with little memory so that the test is quick.
const HASH: &str = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$HASH";

fn directory(hash: &str) -> Directory {
    let ana = PersonFacts {
        roles: vec![Role::new("approver").unwrap()],
        password_hash: Some(hash.to_owned()),
    };
    let bob = PersonFacts {
        roles: vec![Role::new("operator").unwrap()],
        password_hash: None,
    };
    let people =
        [("ana", ana), ("bob", bob)].map(|(name, facts)| (Person::new(name).unwrap(), facts));
    Directory::new(BTreeMap::from(people))
}

fn hashed(secret: &str) -> String {
    use argon2::{Algorithm, Argon2, Params, PasswordHasher, Version};
    let params = Params::new(64, 1, 1, None).unwrap();
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    argon2
        .hash_password_with_salt(secret.as_bytes(), b"somesaltsomesalt")
        .unwrap()
        .to_string()
}

#[test]
fn a_person_is_who_shows_their_own_secret() {
    let people = directory(&hashed("correct horse"));
    assert_eq!(
        people.login(Some("ana"), Some("correct horse")),
        Ok(Person::new("ana").unwrap())
    );
    for (name, secret) in [
        ("ana", "wrong"),
        ("ana", ""),
        ("bob", "correct horse"),
        ("eve", "correct horse"),
    ] {
        assert_eq!(
            people.login(Some(name), Some(secret)),
            Err(LoginError::Wrong),
            "{name} {secret}"
        );
    }
    assert_eq!(people.login(None, None), Err(LoginError::WhoAreYou));
    assert_eq!(
        people.login(Some("local"), None),
        Err(LoginError::WhoAreYou),
        "no local person beside others"
    );
}

#[test]
fn a_broken_hash_lets_nobody_in() {
    for hash in ["", "correct horse", HASH, "$argon2id$…"] {
        assert_eq!(
            directory(hash).login(Some("ana"), Some("correct horse")),
            Err(LoginError::Wrong),
            "{hash}"
        );
    }
}

#[test]
fn without_people_the_user_of_the_socket_is_the_one_person() {
    let people = Directory::default();
    let local = Person::new(LOCAL_PERSON).unwrap();
    assert_eq!(people.login(None, None), Ok(local.clone()));
    assert_eq!(people.login(Some("ana"), None), Err(LoginError::Wrong));
    assert!(
        people
            .roles(&local)
            .contains(&Role::new("approver").unwrap())
    );
    assert!(people.roles(&Person::new("ana").unwrap()).is_empty());
}

#[test]
fn a_hash_is_never_printed() {
    let hash = hashed("correct horse");
    assert!(!format!("{:?}", directory(&hash)).contains(&hash));
}

#[test]
fn a_gate_is_alive_while_its_lock_lives() {
    let state = tempfile::tempdir().unwrap();
    let gates = LockedInstances::of(state.path());
    let id = Uuid::from_u128(7);
    assert!(!gates.is_alive(&id.to_string()));
    let lock = InstanceLock::take(state.path(), id).unwrap();
    assert!(gates.is_alive(lock.name()));
    assert!(
        InstanceLock::take(state.path(), id).is_err(),
        "one gate has one name"
    );
    drop(lock);
    assert!(!gates.is_alive(&id.to_string()));
    assert!(!gates.is_alive("../../etc/passwd"));
}

#[test]
fn c083_ids_are_never_given_twice() {
    let now = "2026-03-02T10:00:00Z".parse().unwrap();
    let ids: std::collections::BTreeSet<Uuid> =
        (0..100_000).map(|_| RandomIds.fresh(now)).collect();
    assert_eq!(ids.len(), 100_000);
    assert!(ids.iter().all(|id| id.get_version_num() == 7));
}
