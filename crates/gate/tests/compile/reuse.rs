//! refused: use of moved value: `warrant`

use tipstaff_gate::{Cancel, Executor, Warrant};

async fn twice(executor: &dyn Executor, warrant: Warrant) {
    let _ = executor.execute(warrant, Cancel::new()).await;
    let _ = executor.execute(warrant, Cancel::new()).await;
}

fn main() {}
