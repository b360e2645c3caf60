//! The same command in other clothes: the verdict must stay.

use super::judge::{Judge, Seen};
use super::{Table, count};
use tipstaff_command::Clothes;

pub(super) fn table(judge: &Judge, seen: &[Seen]) -> Table {
    let mut table = Table::new(
        "The same command in other clothes, over all rows",
        [
            "clothes",
            "rows they fit",
            "same verdict",
            "stricter",
            "milder",
        ],
    );
    for clothes in Clothes::ALL {
        let (mut all, mut same, mut stricter) = (0, 0, 0);
        for row in seen {
            let Some(dressed) = clothes.dress(&row.command) else {
                continue;
            };
            let effect = judge.decide(&dressed).effect;
            all += 1;
            same += usize::from(effect == row.verdict.effect);
            stricter += usize::from(effect > row.verdict.effect);
        }
        table.row([
            clothes.as_str().into(),
            count(all),
            count(same),
            count(stricter),
            count(all - same - stricter),
        ]);
    }
    table
}
