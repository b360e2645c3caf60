//! compiles: so what the other files are refused for is theirs alone

use tipstaff_gate::{Call, Cancel, Executor, Warrant};

fn twice<T: Clone>() {}

fn read<'de, T: serde::Deserialize<'de>>(_: &T) {}

fn readable(call: &Call) {
    twice::<Call>();
    read(&call.params);
}

async fn once(executor: &dyn Executor, warrant: Warrant) {
    let _ = executor.execute(warrant, Cancel::new()).await;
}

fn main() {
    let _ = (readable, once);
}
