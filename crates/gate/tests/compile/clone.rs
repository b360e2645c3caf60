//! refused: the trait bound `Warrant: Clone` is not satisfied

fn twice<T: Clone>() {}

fn main() {
    twice::<tipstaff_gate::Warrant>();
}
