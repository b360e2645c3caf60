//! tipstaff governs what AI agents do; this crate only re-exports, one feature per crate.
//!
//! It holds no code of its own: take the crates one by one, or this one with the features you need.
#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "approval")]
#[cfg_attr(docsrs, doc(cfg(feature = "approval")))]
pub use tipstaff_approval as approval;
#[cfg(feature = "command")]
#[cfg_attr(docsrs, doc(cfg(feature = "command")))]
pub use tipstaff_command as command;
#[cfg(feature = "condition")]
#[cfg_attr(docsrs, doc(cfg(feature = "condition")))]
pub use tipstaff_condition as condition;
#[cfg(feature = "gate")]
#[cfg_attr(docsrs, doc(cfg(feature = "gate")))]
pub use tipstaff_gate as gate;
#[cfg(feature = "host")]
#[cfg_attr(docsrs, doc(cfg(feature = "host")))]
pub use tipstaff_host as host;
#[cfg(feature = "journal")]
#[cfg_attr(docsrs, doc(cfg(feature = "journal")))]
pub use tipstaff_journal as journal;
#[cfg(feature = "manifest")]
#[cfg_attr(docsrs, doc(cfg(feature = "manifest")))]
pub use tipstaff_manifest as manifest;
#[cfg(feature = "mcp")]
#[cfg_attr(docsrs, doc(cfg(feature = "mcp")))]
pub use tipstaff_mcp as mcp;
#[cfg(feature = "policy")]
#[cfg_attr(docsrs, doc(cfg(feature = "policy")))]
pub use tipstaff_policy as policy;
#[cfg(feature = "registry")]
#[cfg_attr(docsrs, doc(cfg(feature = "registry")))]
pub use tipstaff_registry as registry;
#[cfg(feature = "resource")]
#[cfg_attr(docsrs, doc(cfg(feature = "resource")))]
pub use tipstaff_resource as resource;
#[cfg(feature = "router")]
#[cfg_attr(docsrs, doc(cfg(feature = "router")))]
pub use tipstaff_router as router;
#[cfg(feature = "schema")]
#[cfg_attr(docsrs, doc(cfg(feature = "schema")))]
pub use tipstaff_schema as schema;
#[cfg(feature = "search")]
#[cfg_attr(docsrs, doc(cfg(feature = "search")))]
pub use tipstaff_search as search;
#[cfg(feature = "spawn")]
#[cfg_attr(docsrs, doc(cfg(feature = "spawn")))]
pub use tipstaff_spawn as spawn;
#[cfg(feature = "store")]
#[cfg_attr(docsrs, doc(cfg(feature = "store")))]
pub use tipstaff_store as store;
#[cfg(feature = "triage")]
#[cfg_attr(docsrs, doc(cfg(feature = "triage")))]
pub use tipstaff_triage as triage;
