//! Automata for the canonical values of each kind.
//!
//! Patterns are judged only against these, so that a witness is a value that can really occur, and a
//! pattern that no canonical value meets (`/a/../b`) is refused when it is loaded.

use std::sync::LazyLock;

use crate::automaton::{Automaton, Label, State};
use crate::chars::{BLANK, HIDDEN};
use crate::glob::Class;

/// Canonical paths: `/`, or components that are no `.` and no `..`, without hidden characters and
/// without blanks at their ends.
pub(crate) static PATH: LazyLock<Automaton> = LazyLock::new(|| {
    let [root, begin, blank, inside, dot, dots] = [1, 2, 3, 4, 5, 6];
    let plain = || not(&[HIDDEN, BLANK, &[('/', '/'), ('.', '.')]]);
    let no_dot = |dot| vec![(plain(), inside), (char_('.'), dot)];
    let within = || vec![(not(&[HIDDEN, BLANK]), inside), (any_of(BLANK), blank)];
    let mut states = vec![state(false, vec![(char_('/'), root)])];
    states.push(state(true, no_dot(dot)));
    states.push(state(false, no_dot(dot)));
    states.push(state(false, within()));
    states.push(state(true, [within(), vec![(char_('/'), begin)]].concat()));
    states.push(state(
        false,
        [no_dot(dots), vec![(any_of(BLANK), blank)]].concat(),
    ));
    states.push(state(false, within()));
    Automaton::from_states(states, '/')
});

/// Canonical host names (no addresses): labels of `a-z 0-9 - _`, the last one no number.
pub(crate) static NAME: LazyLock<Automaton> = LazyLock::new(|| {
    let [begin, number, named, zero, hex] = [0, 1, 2, 3, 4];
    let letters = || any_of(&[('a', 'z'), ('-', '-'), ('_', '_')]);
    let dot = || (char_('.'), begin);
    let digits = || (any_of(&[('0', '9')]), number);
    let states = vec![
        state(
            false,
            vec![
                (letters(), named),
                (any_of(&[('1', '9')]), number),
                (char_('0'), zero),
            ],
        ),
        state(false, vec![digits(), (letters(), named), dot()]),
        state(
            true,
            vec![
                (
                    any_of(&[('0', '9'), ('a', 'z'), ('-', '-'), ('_', '_')]),
                    named,
                ),
                dot(),
            ],
        ),
        state(
            false,
            vec![
                digits(),
                (
                    any_of(&[('a', 'w'), ('y', 'z'), ('-', '-'), ('_', '_')]),
                    named,
                ),
                (char_('x'), hex),
                dot(),
            ],
        ),
        state(
            false,
            vec![
                (any_of(&[('0', '9'), ('a', 'f')]), hex),
                (any_of(&[('g', 'z'), ('-', '-'), ('_', '_')]), named),
                dot(),
            ],
        ),
    ];
    Automaton::from_states(states, '.')
});

/// Canonical URL paths: nothing, or `/` and segments that are no `.` and no `..`.
pub(crate) static URL_PATH: LazyLock<Automaton> = LazyLock::new(|| {
    let [begin, inside, dot, dots, percent, digit] = [1, 2, 3, 4, 5, 6];
    // Printable ASCII without what is escaped in paths, without `.`, `/` and `%`.
    let plain = || {
        any_of(&[
            ('!', '!'),
            ('$', '$'),
            ('&', '-'),
            ('0', ';'),
            ('=', '='),
            ('@', '['),
            (']', '_'),
            ('a', 'z'),
            ('|', '|'),
            ('~', '~'),
        ])
    };
    let hex = || any_of(&[('0', '9'), ('A', 'F')]);
    let within = |dot| {
        vec![
            (plain(), inside),
            (char_('.'), dot),
            (char_('%'), percent),
            (char_('/'), begin),
        ]
    };
    Automaton::from_states(
        vec![
            state(true, vec![(char_('/'), begin)]),
            state(true, within(dot)),
            state(true, within(inside)),
            state(
                false,
                vec![(plain(), inside), (char_('.'), dots), (char_('%'), percent)],
            ),
            state(
                false,
                vec![
                    (plain(), inside),
                    (char_('.'), inside),
                    (char_('%'), percent),
                ],
            ),
            state(false, vec![(hex(), digit)]),
            state(false, vec![(hex(), inside)]),
        ],
        '/',
    )
});

/// One line of text without blanks at its ends: services and repositories.
pub(crate) static LINE: LazyLock<Automaton> = LazyLock::new(|| {
    let [blank, inside] = [1, 2];
    let seen = || (not(&[HIDDEN, BLANK]), inside);
    Automaton::from_states(
        vec![
            state(false, vec![seen(), (char_('/'), inside)]),
            state(
                false,
                vec![seen(), (char_('/'), inside), (any_of(BLANK), blank)],
            ),
            state(
                true,
                vec![seen(), (char_('/'), inside), (any_of(BLANK), blank)],
            ),
        ],
        '/',
    )
});

/// Any text at all: the kind `none`.
pub(crate) static TEXT: LazyLock<Automaton> =
    LazyLock::new(|| Automaton::from_states(vec![state(true, vec![(Label::Any, 0)])], '/'));

/// Any word of a command.
pub(crate) static WORD: LazyLock<Automaton> = LazyLock::new(|| {
    Automaton::from_states(vec![state(true, vec![(Label::NotSeparator, 0)])], '\0')
});

const fn state(accepts: bool, steps: Vec<(Label, u16)>) -> State {
    State { accepts, steps }
}

const fn char_(c: char) -> Label {
    Label::Char(c)
}

fn any_of(ranges: &[(char, char)]) -> Label {
    Label::Class(Box::new(Class {
        negated: false,
        ranges: ranges.to_vec(),
    }))
}

/// Everything but these; as for every class, never the separator.
fn not(ranges: &[&[(char, char)]]) -> Label {
    Label::Class(Box::new(Class {
        negated: true,
        ranges: ranges.concat(),
    }))
}
