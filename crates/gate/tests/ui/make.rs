//! A warrant has private fields and no constructor.

fn main() {
    let _ = tipstaff_gate::Warrant {};
}
