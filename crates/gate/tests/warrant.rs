//! I1 at compile time: no other crate makes, copies, reads or reuses a warrant.
//!
//! Each file in `ui/` is such an attempt and must not compile, for the reason that stands beside it.

#[test]
fn i1_no_other_crate_makes_copies_or_reuses_a_warrant() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
