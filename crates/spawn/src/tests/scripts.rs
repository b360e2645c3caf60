//! Shell texts at random, of a seed: every form in which a program can be started or only be named.
//!
//! They end by themselves and start nothing but tracers and the wrappers around them.

/// The tracers. What each ends with and prints: see `differential`.
pub(super) const TRACERS: [&str; 6] = ["alpha", "beta", "gamma", "delta", "kappa", "omega"];

/// Splitmix64: small, and the same everywhere.
#[derive(Debug)]
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.roll() % n as u64).unwrap()
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// A text of at most so many levels.
pub(super) fn script(dice: &mut Dice, depth: usize) -> String {
    let text = list(dice, depth);
    match dice.below(14) {
        0 => format!("{text} # it's alpha; beta"),
        1 => format!("  \t{text}\n"),
        2 => format!("# alpha\n{text}"),
        3 => format!("{text}\n# $(alpha)\n"),
        _ => text,
    }
}

fn list(dice: &mut Dice, depth: usize) -> String {
    let first = pipeline(dice, depth);
    if depth == 0 || dice.one_in(2) {
        return first;
    }
    let second = list(dice, depth - 1);
    if first.contains("<<") && first.contains('\n') {
        return format!("{first}\n{second}"); // Nothing may stand behind the end of a here-document.
    }
    match dice.below(9) {
        0 | 1 => format!("{first}; {second}"),
        2 => format!("{first} && {second}"),
        3 => format!("{first} || {second}"),
        4 => format!("{first}\n{second}"),
        5 => format!("{first}&&\n  {second}"),
        6 => format!("{first} & {second}; wait"),
        7 => format!("{first};{second}"),
        _ => format!("{first} \\\n && {second}"),
    }
}

fn pipeline(dice: &mut Dice, depth: usize) -> String {
    let first = command(dice, depth);
    if depth == 0 || dice.below(4) > 0 || first.contains("<<") {
        return first;
    }
    let second = command(dice, depth - 1);
    let bar = dice.of(&["|", " | ", " |& ", " |\n "]);
    match dice.below(6) {
        0 => format!("! {first}{bar}{second}"),
        1 => format!("time {first}{bar}{second}"),
        _ => format!("{first}{bar}{second}"),
    }
}

fn command(dice: &mut Dice, depth: usize) -> String {
    if depth == 0 {
        return simple(dice, 0);
    }
    match dice.below(16) {
        0..=6 => simple(dice, depth),
        7..=9 => wrapped(dice, depth),
        10 => odd(dice, depth),
        _ => compound(dice, depth),
    }
}

fn compound(dice: &mut Dice, depth: usize) -> String {
    let d = depth - 1;
    let body = closed(&list(dice, d));
    match dice.below(15) {
        0 => format!("{{ {body} }}"),
        1 => format!("( {body} )"),
        2 => format!("({body})"),
        3 => format!("if {}; then {body} fi", simple(dice, 0)),
        4 => format!(
            "if {}; then {body} elif {}; then {} else {} fi",
            simple(dice, 0),
            simple(dice, 0),
            closed(&list(dice, d)),
            closed(&list(dice, d))
        ),
        5 => format!("for i in a {}; do {body} done", word(dice, d)),
        6 => format!("for ((i=0; i<2; i++)); do {body} done"),
        7 => format!("while false; do {body} done"),
        8 => format!("until true; do {body} done; {}", simple(dice, d)),
        9 => format!(
            "case {} in a|x) {body} ;; *) {} ;; esac",
            word(dice, d),
            list(dice, 0)
        ),
        10 => format!(
            "case x in x) {body} {} y) {} ;; esac",
            dice.of(&[";&", ";;&", ";;"]),
            list(dice, 0)
        ),
        11 => format!("f() {{ {body} }}; f"),
        12 => format!("function f {{ {body} }}\nf a"),
        13 => format!("{}() {{ {body} }}; {}", dice.of(&TRACERS), simple(dice, 0)),
        _ => format!(
            "[[ {} == {} ]] && {}",
            quoted(dice, d),
            quoted(dice, d),
            simple(dice, d)
        ),
    }
}

/// With an end behind which a keyword may stand.
fn closed(body: &str) -> String {
    if body.ends_with('\n') || body.contains("<<") {
        format!("{body}\n")
    } else {
        format!("{body};")
    }
}

fn wrapped(dice: &mut Dice, depth: usize) -> String {
    let inner = plain(dice, depth - 1);
    let text = script(dice, depth.saturating_sub(2));
    match dice.below(20) {
        0 => format!("env {inner}"),
        1 => format!("env A=1 LANG=C {inner}"),
        2 => format!("env -u A -- {inner}"),
        3 => format!("nohup {inner}"),
        4 => format!("timeout 5 {inner}"),
        5 => format!("timeout -k 1 5s {inner}"),
        6 => format!("nice -n 5 {inner}"),
        7 => format!("command {inner}"),
        8 => format!("exec {inner}"),
        9 => format!("(exec -a x {inner})"),
        10 => format!("echo a b | xargs {inner}"),
        11 => format!("echo a b | xargs -n1 {inner}"),
        12 => format!("sh -c '{}'", text.replace('\'', "'\\''")),
        13 => format!("bash -c \"{}\"", escaped(&text)),
        14 => format!(
            "bash --noprofile --norc -ec '{}' x",
            text.replace('\'', "'\\''")
        ),
        15 => format!("eval '{}'", text.replace('\'', "'\\''")),
        16 => format!("find . -maxdepth 0 -exec {inner} {{}} \\;"),
        17 => format!("setsid -w {inner}"),
        18 => format!("stdbuf -oL {inner}"),
        _ => format!("env nice timeout 5 {inner}"),
    }
}

fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|c| "\\\"$`".contains(c).then_some('\\').into_iter().chain([c]))
        .collect()
}

/// Forms of which most run a program in a way that is not seen at first.
fn odd(dice: &mut Dice, depth: usize) -> String {
    let name = dice.of(&TRACERS);
    let text = script(dice, depth.saturating_sub(2));
    match dice.below(42) {
        0 => format!("x=$({text}\n)"),
        1 => format!("declare x=$({name})"),
        2 => format!("export x=`{name}`"),
        3 => format!("a=( $({name}) b )"),
        4 => format!("a[$({name})0]=1"),
        5 => format!("printf -v 'a[$({name})0]' x"),
        6 => format!("test -v 'a[$({name})]'"),
        7 => format!("[[ -v a[$({name})0] ]]"),
        8 => format!("let 'a[$({name})0]=1'"),
        9 => format!("unset 'a[$({name})0]'"),
        10 => format!("echo $(( $({name}; echo 1) + 1 ))"),
        11 => format!("(( 1 + $({name}; echo 1) ))"),
        12 => format!("echo $( ({name}) )"),
        13 => format!("echo $(({name}) )"),
        14 => format!("trap '{name}' EXIT"),
        15 => format!("trap {name} EXIT; true"),
        16 => format!("bash <<X\n{name}\nX"),
        17 => format!("sh -s <<< {name}"),
        18 => format!(". <(echo {name})"),
        19 => format!("source /dev/stdin <<< {name}"),
        20 => format!("x={name}; $x a"),
        21 => format!("x='$({name})'; echo \"${{x@P}}\""),
        22 => format!("$(echo {name}) a"),
        23 => format!("PS4='$({name})'; set -x; true"),
        24 => format!("alias z={name}; z"),
        25 => format!("mapfile -c 1 -C '{name} ' <<< a"),
        26 => format!("coproc {name}; wait"),
        27 => format!("coproc N {{ {name}; }}; wait"),
        28 => format!("hash -p ./x true; command -v {name}"),
        29 => format!("shopt -s expand_aliases; alias z={name}\nz"),
        30 => format!("echo ${{x:-$({name})}} \"${{x:=`{name}`}}\""),
        31 => format!("echo $(case x in x) {name};; esac)"),
        32 => format!("echo $({name} # it's\n)"),
        33 => format!("declare -i x; x='a[$({name})0]'"),
        34 => format!("read 'a[$({name})0]' <<< b"),
        35 => format!("[ -v 'a[$({name})0]' ]"),
        36 => format!("x='a[$({name})0]'; let x"),
        37 => format!("x='a[$({name})0]'; echo $((x)) ${{y:x}}"),
        38 => format!("true & wait -n -p 'a[$({name})0]'"),
        39 => format!("set -- '$({name})'; echo \"$1\" $#"),
        40 => format!("x=(1 2); echo \"${{x[$({name})0]}}\""),
        _ => format!("IFS=x; {name} axb"),
    }
}

/// A program with words, and what may stand around it.
fn simple(dice: &mut Dice, depth: usize) -> String {
    if dice.one_in(12) {
        return dice
            .of(&[
                "true",
                "false",
                ":",
                "echo a",
                "test a",
                "[ a = a ]",
                "x=1",
                "cd .",
            ])
            .to_owned();
    }
    let mut text = String::new();
    if dice.one_in(6) {
        text.push_str(dice.of(&["LANG=C ", "x=1 ", "x= ", "A='b c' ", "x=\"$x\" "]));
    }
    if depth > 0 && dice.one_in(16) {
        text.push_str(&format!("x=$({}) ", closed(&script(dice, depth - 1))));
    }
    if dice.one_in(14) {
        text.push_str(dice.of(&[">o ", "2>&1 ", "<i ", "3<>o "]));
    }
    text.push_str(&plain(dice, depth));
    for _ in 0..dice.below(5) / 3 {
        text.push_str(&redirection(dice, depth));
    }
    if dice.one_in(12) {
        text.push_str(&document(dice, depth));
    }
    text
}

/// A program with words and nothing else.
fn plain(dice: &mut Dice, depth: usize) -> String {
    let mut text = spelled(dice);
    for _ in 0..dice.below(4) {
        text.push_str(dice.of(&[" ", " ", " ", "  ", "\t", " \\\n "]));
        text.push_str(&word(dice, depth));
    }
    text
}

fn redirection(dice: &mut Dice, depth: usize) -> String {
    match dice.below(9) {
        0 => " >o".to_owned(),
        1 => " >>o".to_owned(),
        2 => " 2>&1".to_owned(),
        3 => " <i".to_owned(),
        4 => format!(" <<<{}", quoted(dice, depth)),
        5 => " &>o".to_owned(),
        6 => " >|o 2>/dev/null".to_owned(),
        7 if depth > 0 => format!(" > >({})", closed(&list(dice, 0))),
        _ if depth > 0 => format!(" >\"o$({})\"", closed(&list(dice, 0))),
        _ => " 2>&-".to_owned(),
    }
}

fn document(dice: &mut Dice, depth: usize) -> String {
    let inner = if depth > 0 {
        list(dice, 0)
    } else {
        "beta".to_owned()
    };
    if inner.contains("<<") {
        return String::new();
    }
    match dice.below(5) {
        0 => format!(" <<E\na $({inner}) b\nE\n"),
        1 => format!(" <<'E'\na $({inner}) b\nalpha\nE\n"),
        2 => format!(" <<-E\n\talpha `{}`\n\tE\n", inner.replace('`', "")),
        3 => " <<E\nalpha \\$(beta) \\`beta\\`\nE\n".to_owned(),
        _ => " <<\"E F\"\n$(alpha)\nE F\n".to_owned(),
    }
}

/// A tracer's name in one of the ways in which it can be written.
fn spelled(dice: &mut Dice) -> String {
    let name = dice.of(&TRACERS);
    let (head, tail) = name.split_at(2);
    match dice.below(22) {
        0 => format!("\"{name}\""),
        1 => format!("'{name}'"),
        2 => format!("{head}\"{tail}\""),
        3 => format!("\\{name}"),
        4 => format!("{head}\\{tail}"),
        5 => format!("$'{name}'"),
        6 => format!("{head}\\\n{tail}"),
        7 => format!("''{name}"),
        8 => format!("$\"{name}\""),
        9 => format!("$'\\x{:x}'{}", name.as_bytes()[0], &name[1..]),
        10 => format!("./../bin/{name}"),
        _ => name.to_owned(),
    }
}

fn quoted(dice: &mut Dice, depth: usize) -> String {
    match dice.below(5) {
        0 => "\"a b\"".to_owned(),
        1 => "'a $(alpha) b'".to_owned(),
        2 if depth > 0 => format!("\"$({})\"", closed(&script(dice, depth - 1))),
        3 => "\"$x\"".to_owned(),
        _ => "a".to_owned(),
    }
}

fn word(dice: &mut Dice, depth: usize) -> String {
    let inner = |dice: &mut Dice| closed(&list(dice, depth.saturating_sub(1)));
    match dice.below(40) {
        0 => "\"a  b\"".to_owned(),
        1 => "'a;beta'".to_owned(),
        2 => "\"$x\"".to_owned(),
        3 => "$x".to_owned(),
        4 => "{a,b}".to_owned(),
        5 => "*".to_owned(),
        6 => "./*".to_owned(),
        7 => "\\;".to_owned(),
        8 => "a#b".to_owned(),
        9 => "'#'".to_owned(),
        10 => "''".to_owned(),
        11 => "$'a\\nb'".to_owned(),
        12 => "\"a\\\"b\\$(beta)\"".to_owned(),
        13 => "$((1+2))".to_owned(),
        14 => "~".to_owned(),
        15 => "a\\\nb".to_owned(),
        16 => "\"'`\"'\"$(beta)'".replace('`', ""),
        17 => "--".to_owned(),
        18 => "x=y".to_owned(),
        19 => "a\\ b".to_owned(),
        20 => "[ab]".to_owned(),
        21 => "\"*\"".to_owned(),
        22 => "!".to_owned(),
        23 => "if".to_owned(),
        24 if depth > 0 => format!("$({})", inner(dice)),
        25 if depth > 0 => format!("\"$({})\"", inner(dice)),
        26 if depth > 0 => format!("<({})", inner(dice)),
        27 if depth > 0 => format!("\"${{x:-$({})}}\"", inner(dice)),
        28 if depth > 0 => format!("`{}`", simple(dice, 0).replace(['`', '\\'], "")),
        29 if depth > 0 => format!("\"`{}`\"", plain(dice, 0).replace(['`', '\\', '"'], "")),
        30 => dice.of(&TRACERS).to_owned(),
        31 => "-x".to_owned(),
        32 => "--long=a".to_owned(),
        _ => dice
            .of(&["a", "b1", "src/a.c", "a,b", "a:b", "@", "%1", "a=b"])
            .to_owned(),
    }
}
