//! The people who answer: their roles, and the proof that somebody is one of them.
//!
//! Without any person configured, whoever can open the control socket (the user that the gate runs
//! as) is the one person `local`. As soon as there are people, each answers with their own secret.

use std::collections::BTreeMap;

use argon2::{Argon2, PasswordVerifier};
use tipstaff_gate::People;
use tipstaff_schema::{Person, Role};

use crate::presence::LastSeen;

/// The person that the user of the control socket is, while nobody is configured.
pub const LOCAL_PERSON: &str = "local";

/// The roles that this program itself knows.
const OWN_ROLES: [&str; 3] = ["approver", "supervisor", "operator"];

/// What is known of one person.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PersonFacts {
    /// Their roles.
    pub roles: Vec<Role>,
    /// The argon2id hash of their password in PHC form; without one they cannot answer here.
    pub password_hash: Option<String>,
}

impl std::fmt::Debug for PersonFacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hash = self.password_hash.as_ref().map(|_| "(hidden)");
        f.debug_struct("PersonFacts")
            .field("roles", &self.roles)
            .field("password_hash", &hash)
            .finish()
    }
}

/// Why somebody is not believed to be a person. Says the same for a wrong name and a wrong secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoginError {
    /// People are configured, so one has to say who they are.
    #[error("say who you are (`--as NAME`) and give that person's password")]
    WhoAreYou,
    /// No such person, no password set, or the wrong one.
    #[error("the name or the password is wrong")]
    Wrong,
}

/// The configured people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directory {
    people: BTreeMap<Person, PersonFacts>,
    seen: LastSeen,
}

impl Directory {
    /// These people, and nobody else. Empty means the one person `local`.
    #[must_use]
    pub fn new(people: BTreeMap<Person, PersonFacts>) -> Self {
        let seen = LastSeen::default();
        Self { people, seen }
    }

    /// Whether nobody is configured.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// The person that this name and secret prove. Takes some 50 ms of work where a hash is checked. They
    /// count as present from then on (`presence`).
    ///
    /// # Errors
    /// [`LoginError::WhoAreYou`] when a name or secret is missing though people are configured;
    /// [`LoginError::Wrong`] when they do not fit.
    pub fn login(&self, name: Option<&str>, secret: Option<&str>) -> Result<Person, LoginError> {
        let person = self.proven(name, secret)?;
        self.seen.now();
        Ok(person)
    }

    pub(crate) fn last_seen(&self) -> &LastSeen {
        &self.seen
    }

    fn proven(&self, name: Option<&str>, secret: Option<&str>) -> Result<Person, LoginError> {
        if self.people.is_empty() {
            return match name {
                None | Some(LOCAL_PERSON) => {
                    Person::new(LOCAL_PERSON).map_err(|_| LoginError::Wrong)
                }
                Some(_) => Err(LoginError::Wrong),
            };
        }
        let (Some(name), Some(secret)) = (name, secret) else {
            return Err(LoginError::WhoAreYou);
        };
        let person = Person::new(name).map_err(|_| LoginError::Wrong)?;
        let hash = self
            .people
            .get(&person)
            .and_then(|facts| facts.password_hash.as_deref())
            .ok_or(LoginError::Wrong)?;
        Argon2::default()
            .verify_password(secret.as_bytes(), hash)
            .map_err(|_| LoginError::Wrong)?;
        Ok(person)
    }
}

impl People for Directory {
    fn roles(&self, person: &Person) -> Vec<Role> {
        if self.people.is_empty() && person.as_str() == LOCAL_PERSON {
            return OWN_ROLES
                .into_iter()
                .filter_map(|role| Role::new(role).ok())
                .collect();
        }
        self.people
            .get(person)
            .map(|facts| facts.roles.clone())
            .unwrap_or_default()
    }
}
