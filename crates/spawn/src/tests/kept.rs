//! Head and tail of long output, and the note of what lay between.

use proptest::prelude::*;

use crate::kept::{Channel, Kept};

fn kept(limit: usize, pieces: &[(Channel, &str)]) -> Kept {
    let mut kept = Kept::new(limit);
    for (channel, text) in pieces {
        kept.push(*channel, text.as_bytes());
    }
    kept
}

#[test]
fn all_is_kept_up_to_the_limit() {
    let kept = kept(
        8,
        &[
            (Channel::Out, "abc"),
            (Channel::Err, "de"),
            (Channel::Out, "fgh"),
        ],
    );
    assert_eq!((kept.cut(), kept.text(None).as_str()), (0, "abcdefgh"));
    assert_eq!(kept.text(Some(Channel::Out)), "abcfgh");
    assert_eq!(kept.text(Some(Channel::Err)), "de");
}

#[test]
fn beyond_it_head_and_tail_are_kept_with_a_note() {
    let kept = kept(8, &[(Channel::Out, "abcdefgh"), (Channel::Out, "ijk")]);
    assert_eq!(
        (kept.cut(), kept.text(None).as_str()),
        (3, "abcd\n[… 3 bytes cut …]\nhijk")
    );
}

#[test]
fn a_stream_of_which_nothing_was_cut_has_no_note() {
    let kept = kept(8, &[(Channel::Err, "warn"), (Channel::Out, "abcdef")]);
    assert_eq!(kept.text(Some(Channel::Err)), "warn");
    assert_eq!(kept.text(Some(Channel::Out)), "\n[… 2 bytes cut …]\ncdef");
}

#[test]
fn a_character_that_straddles_head_and_tail_stays_whole() {
    assert_eq!(kept(4, &[(Channel::Out, "aéb")]).text(None), "aéb");
}

proptest! {
    #[test]
    fn kept_is_a_head_a_note_and_a_tail(limit in 2usize..20, pieces in prop::collection::vec((any::<bool>(), "[a-z]{0,6}"), 0..20)) {
        let of = |out: &bool| if *out { Channel::Out } else { Channel::Err };
        let pieces: Vec<_> = pieces.iter().map(|(out, text)| (of(out), text.as_str())).collect();
        let whole: String = pieces.iter().map(|(_, text)| *text).collect();
        let kept = kept(limit, &pieces);
        let half = limit / 2;
        let want = if whole.len() <= 2 * half {
            whole
        } else {
            let (head, tail) = (&whole[..half], &whole[whole.len() - half..]);
            format!("{head}\n[… {} bytes cut …]\n{tail}", whole.len() - 2 * half)
        };
        prop_assert_eq!(kept.text(None), want);
    }
}
