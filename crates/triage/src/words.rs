//! The words of all tasks that people look for, in lower case and laid end to end: to look for a text
//! reads them once, in a row, and touches no task.

/// Where the words of a task stand.
pub(crate) type Slot = usize;

/// Stands between the fields of a task. No text that is shown to people holds it.
const BETWEEN: char = '\0';
/// So long a text is looked for without preparation, which costs more than short words do.
const QUICK: usize = 32;

/// The words of tasks, which never change once a task is opened.
// INVARIANT: `ends` rises, and all of it are ends of whole characters of `text`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Words {
    text: String,
    ends: Vec<usize>,
}

impl Words {
    /// Adds the words of one more task; gives where they stand.
    pub(crate) fn add(&mut self, fields: [&str; 3]) -> Slot {
        for field in fields {
            self.text.push_str(&field.to_lowercase());
            self.text.push(BETWEEN);
        }
        self.ends.push(self.text.len());
        self.ends.len() - 1
    }

    /// Which of them hold this text within one field, whatever the case of its letters.
    pub(crate) fn holding(&self, text: &str) -> Vec<bool> {
        let text = text.to_lowercase();
        if text.contains(BETWEEN) {
            return vec![false; self.ends.len()];
        }
        let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
        let quick = ends.take_while(|end| *end <= QUICK).last().unwrap_or(0);
        let quick = text.get(..quick).unwrap_or(&text);
        let mut from = 0;
        let holds = self.ends.iter().map(|end| {
            let words = self.text.get(from..*end).unwrap_or_default();
            from = *end;
            words.contains(quick) && (quick.len() == text.len() || words.contains(&text))
        });
        holds.collect()
    }
}
