//! Output that is kept while it streams: the head and the tail, up to a limit, and how much lies between.

use std::collections::VecDeque;

/// The most bytes that are kept of one command.
pub(crate) const MAX_KEPT: usize = 1024 * 1024;

/// Pieces of one stream are joined up to this size, so that single bytes do not cost a piece each.
const PIECE: usize = 16 * 1024;

/// Where a piece came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channel {
    Out,
    Err,
}

type Piece = (Channel, Vec<u8>);

/// Both streams of a command, in the order in which they came.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Half of what is kept: the size of head and tail.
    half: usize,
    head: Vec<Piece>,
    head_bytes: usize,
    tail: VecDeque<Piece>,
    tail_bytes: usize,
    /// Bytes that were dropped between head and tail, by stream.
    cut: [u64; 2],
}

impl Kept {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            half: limit / 2,
            head: Vec::new(),
            head_bytes: 0,
            tail: VecDeque::new(),
            tail_bytes: 0,
            cut: [0; 2],
        }
    }

    pub(crate) fn push(&mut self, channel: Channel, bytes: &[u8]) {
        let room = (self.half - self.head_bytes).min(bytes.len());
        let (to_head, to_tail) = bytes.split_at(room);
        if !to_head.is_empty() {
            self.head_bytes += to_head.len();
            match self.head.last_mut() {
                Some(last) if joins(last, channel, to_head) => last.1.extend_from_slice(to_head),
                _ => self.head.push((channel, to_head.to_vec())),
            }
        }
        if to_tail.is_empty() {
            return;
        }
        self.tail_bytes += to_tail.len();
        match self.tail.back_mut() {
            Some(last) if joins(last, channel, to_tail) => last.1.extend_from_slice(to_tail),
            _ => self.tail.push_back((channel, to_tail.to_vec())),
        }
        self.cut_tail();
    }

    fn cut_tail(&mut self) {
        while let Some(over) = self
            .tail_bytes
            .checked_sub(self.half)
            .filter(|over| *over > 0)
        {
            let Some((channel, first)) = self.tail.front_mut() else {
                return;
            };
            let dropped = over.min(first.len());
            let [out, err] = &mut self.cut;
            *(if *channel == Channel::Out { out } else { err }) += dropped as u64;
            self.tail_bytes -= dropped;
            first.drain(..dropped);
            if first.is_empty() {
                self.tail.pop_front();
            }
        }
    }

    /// How many bytes were dropped.
    pub(crate) fn cut(&self) -> u64 {
        self.cut.iter().sum()
    }

    /// The text of one stream, or of both in order, with a note where something was cut.
    pub(crate) fn text(&self, of: Option<Channel>) -> String {
        let [out, err] = self.cut;
        let cut = match of {
            None => out + err,
            Some(Channel::Out) => out,
            Some(Channel::Err) => err,
        };
        let wanted = |piece: &&Piece| of.is_none_or(|of| of == piece.0);
        let mut head: Vec<u8> = self
            .head
            .iter()
            .filter(wanted)
            .flat_map(|(_, bytes)| bytes)
            .copied()
            .collect();
        let tail: Vec<u8> = self
            .tail
            .iter()
            .filter(wanted)
            .flat_map(|(_, bytes)| bytes)
            .copied()
            .collect();
        if cut == 0 {
            head.extend(tail);
            return String::from_utf8_lossy(&head).into_owned();
        }
        format!(
            "{}\n[… {cut} bytes cut …]\n{}",
            String::from_utf8_lossy(&head),
            String::from_utf8_lossy(&tail)
        )
    }
}

fn joins(last: &Piece, channel: Channel, bytes: &[u8]) -> bool {
    last.0 == channel && last.1.len() + bytes.len() <= PIECE
}
