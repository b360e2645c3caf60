//! A warrant cannot be copied.

fn twice<T: Clone>() {}

fn main() {
    twice::<tipstaff_gate::Warrant>();
}
