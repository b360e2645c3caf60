//! The same command in other clothes: the published list of transformations that change no verdict.
//!
//! Each gives a text that the shell reads as the same command, or as the same in surroundings that do
//! nothing; so rules must say the same of it. Where one does not surely fit a text, it is not applied.

/// One way to write the same command otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Clothes {
    /// Blanks before and behind.
    Blanks,
    /// Two blanks behind the program's name.
    WideBlanks,
    /// The program's name in double quotes.
    Quotes,
    /// The program's name with a backslash before it.
    Backslash,
    /// The program's name put together from two quoted pieces.
    Pieces,
    /// The program by its absolute path in a standard folder.
    AbsolutePath,
    /// A `cd` to where it stands before it.
    LeadingCd,
    /// A line continuation behind the program's name.
    Continuation,
    /// An assignment to a neutral variable before it.
    NeutralAssignment,
    /// The same by `env`.
    Env,
    /// `nohup` before it.
    Nohup,
    /// `nice` before it.
    Nice,
    /// `timeout` before it.
    Timeout,
    /// `time` before it.
    Time,
    /// `bash -c` around it.
    Bash,
    /// `sh -c` around it.
    Sh,
    /// Braces around it.
    Group,
    /// Parentheses around it.
    Subshell,
}

impl Clothes {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Blanks,
        Self::WideBlanks,
        Self::Quotes,
        Self::Backslash,
        Self::Pieces,
        Self::AbsolutePath,
        Self::LeadingCd,
        Self::Continuation,
        Self::NeutralAssignment,
        Self::Env,
        Self::Nohup,
        Self::Nice,
        Self::Timeout,
        Self::Time,
        Self::Bash,
        Self::Sh,
        Self::Group,
        Self::Subshell,
    ];

    /// What it does, as a phrase for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Blanks => "blanks around it",
            Self::WideBlanks => "two blanks for one",
            Self::Quotes => "the name in quotes",
            Self::Backslash => "a backslash before the name",
            Self::Pieces => "the name in two pieces",
            Self::AbsolutePath => "the program's absolute path",
            Self::LeadingCd => "`cd .` before it",
            Self::Continuation => "a line continuation",
            Self::NeutralAssignment => "`LANG=C` before it",
            Self::Env => "`env LANG=C` before it",
            Self::Nohup => "`nohup` before it",
            Self::Nice => "`nice -n 5` before it",
            Self::Timeout => "`timeout 5` before it",
            Self::Time => "`time` before it",
            Self::Bash => "`bash -c` around it",
            Self::Sh => "`sh -c` around it",
            Self::Group => "braces around it",
            Self::Subshell => "parentheses around it",
        }
    }

    /// The text in these clothes; `None` where they do not fit.
    #[must_use]
    pub fn dress(self, text: &str) -> Option<String> {
        let command = || Parted::of(text);
        let program = || command().filter(|parted| !is_word_of_the_shell(parted.name));
        match self {
            Self::Blanks => is_whole(text).then(|| format!("  {text} ")),
            Self::WideBlanks => command().map(|p| format!("{}  {}", p.name, p.rest)),
            Self::Quotes => command().map(|p| format!("\"{}\"{}", p.name, p.behind)),
            Self::Backslash => command().map(|p| format!("\\{}{}", p.name, p.behind)),
            Self::Pieces => command().and_then(|p| {
                let (one, two) = p.name.split_at_checked(1)?;
                Some(format!("'{one}'\"{two}\"{}", p.behind))
            }),
            Self::AbsolutePath => program().map(|p| format!("/usr/bin/{text}", text = p.text)),
            Self::LeadingCd => is_whole(text).then(|| format!("cd . && {text}")),
            Self::Continuation => command()
                .filter(|_| {
                    !text.contains(['#', '`'])
                        && !text.contains("<<")
                        && !text.contains("$(")
                        && !text.contains("$'")
                })
                .map(|p| format!("{} \\\n{}", p.name, p.rest)),
            Self::NeutralAssignment => command().map(|p| format!("LANG=C {}", p.text)),
            Self::Env => program().map(|p| format!("env LANG=C {}", p.text)),
            Self::Nohup => program().map(|p| format!("nohup {}", p.text)),
            Self::Nice => program().map(|p| format!("nice -n 5 {}", p.text)),
            Self::Timeout => program().map(|p| format!("timeout 5 {}", p.text)),
            Self::Time => command().map(|p| format!("time {}", p.text)),
            Self::Bash => is_whole(text).then(|| format!("bash -c {}", quoted(text))),
            Self::Sh => is_whole(text).then(|| format!("sh -c {}", quoted(text))),
            Self::Group => is_whole(text).then(|| format!("{{ {text}\n}}")),
            Self::Subshell => is_whole(text).then(|| format!("( {text}\n)")),
        }
    }
}

/// A text that begins with the plain name of a program.
struct Parted<'a> {
    text: &'a str,
    name: &'a str,
    /// What stands behind the name, with the blank before it.
    behind: &'a str,
    /// The same without blanks before it.
    rest: &'a str,
}

impl<'a> Parted<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
        let behind = text.trim_start_matches(name);
        let name = text.strip_suffix(behind)?;
        let rest = behind.trim_start_matches(' ');
        let parted = behind.is_empty() || behind.starts_with(' ');
        let plain = !name.is_empty() && !name.starts_with('-') && !is_keyword(name);
        // What would belong to the name, or be read otherwise behind a line's end.
        let clear = !rest.starts_with(['(', '=', '+', '#', '\n', '\\']);
        (parted && plain && clear).then_some(Self {
            text,
            name,
            behind,
            rest,
        })
    }
}

/// Whether a text can be put between others: it holds nothing that reaches past its end.
fn is_whole(text: &str) -> bool {
    let here_document = text.contains("<<");
    !text.trim().is_empty() && !here_document && !text.trim_end().ends_with(['\\', '&', ';', '|'])
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn is_keyword(name: &str) -> bool {
    [
        "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
        "select", "function", "time", "coproc", "in",
    ]
    .contains(&name)
}

/// Commands that mean the shell itself, so that no program of their name is the same.
fn is_word_of_the_shell(name: &str) -> bool {
    const NAMES: &str = "alias bg bind break builtin caller cd command compgen complete continue declare dirs disown \
        enable eval exec exit export fc fg getopts hash help history jobs let local logout mapfile popd pushd read \
        readarray readonly return set shift shopt source suspend times trap type typeset ulimit umask unalias unset wait \
        sudo doas env nohup nice timeout busybox toybox";
    NAMES.split_ascii_whitespace().any(|own| own == name)
}
