//! refused: cannot construct `Warrant` with struct literal syntax due to private fields

fn main() {
    let _ = tipstaff_gate::Warrant {};
}
