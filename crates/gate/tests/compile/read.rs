//! refused: the trait bound `Warrant: serde::Deserialize<'de>` is not satisfied

fn read<'de, T: serde::Deserialize<'de>>() {}

fn main() {
    read::<tipstaff_gate::Warrant>();
}
