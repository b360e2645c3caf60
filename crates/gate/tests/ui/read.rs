//! A warrant cannot be read from any format.

fn read<'de, T: serde::Deserialize<'de>>() {}

fn main() {
    read::<tipstaff_gate::Warrant>();
}
