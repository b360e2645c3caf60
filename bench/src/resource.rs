//! Resources: reading a value into its one spelling, reading a pattern, asking whether the pattern
//! means the value; beside `globset` for paths and the `url` crate alone for URLs.

use std::hint::black_box;

use anyhow::{Context as _, Result};
use tipstaff_resource::{Base, CaseRule, Pattern, Resource};
use tipstaff_schema::{Access, ResourceKind};

use tipstaff_bench::clock::{Times, once};
use tipstaff_bench::report::{Cell, Report, Table};

/// How many values of a kind; enough that none of them stays in the nearest cache by accident.
const VALUES: usize = 4096;

/// Measures all of it.
pub(crate) fn run() -> Result<Report> {
    let mut report = Report::new("resource");
    report.table(read()?);
    report.table(match_()?);
    report.table(compare()?);
    report.note(
        "ns of one operation, the mean over 4,096 different values. `globset` is built with `literal_separator`, \
         which comes nearest to the same meaning; it reads no canonical form, knows no hosts, and decides neither \
         overlap nor inclusion. `url` alone parses and prints.",
    );
    Ok(report)
}

const BASE: Base<'_> = Base {
    cwd: None,
    root: Some("/srv/app"),
};

fn figure(times: &Times) -> Cell {
    Cell::Figure(times.mean_us() * 1000.0, 0)
}

/// Raw values of a kind, all different, as calls bring them.
fn raw(kind: ResourceKind) -> Vec<String> {
    let value = |n: usize| match (kind, n % 4) {
        (ResourceKind::Path, 0) => format!("/srv/app/src/module{n}/file.rs"),
        (ResourceKind::Path, 1) => format!("src/./module{n}/../other/file.c"),
        (ResourceKind::Path, 2) => format!("/home/user{n}/project/.env.local"),
        (ResourceKind::Path, _) => format!("/srv/app/docs/deep/er/and/deeper/{n}/notes.md"),
        (ResourceKind::Url, 0) => format!("https://api{n}.good.example/v1/items?id={n}"),
        (ResourceKind::Url, 1) => format!("HTTPS://Good.Example:443/a/../b/%7e{n}"),
        (ResourceKind::Url, 2) => format!("http://10.0.{}.{}:8080/metrics", n / 256, n % 256),
        (ResourceKind::Url, _) => format!("https://good.example/docs/{n}?q=1&p=two"),
        (ResourceKind::Host | ResourceKind::Domain, 0) => format!("api{n}.good.example"),
        (ResourceKind::Host | ResourceKind::Domain, 1) => format!("Node{n}.EU.Good.Example."),
        (ResourceKind::Host | ResourceKind::Domain, 2) => format!("10.1.{}.{}", n / 256, n % 256),
        (ResourceKind::Host | ResourceKind::Domain, _) => format!("[fe80::{n:x}]"),
        (
            ResourceKind::Service
            | ResourceKind::Repository
            | ResourceKind::Command
            | ResourceKind::None,
            _,
        ) => format!("group{}/name{n}", n % 7),
    };
    (0..VALUES).map(value).collect()
}

fn resources(kind: ResourceKind) -> Result<Vec<Resource>> {
    raw(kind)
        .iter()
        .map(|raw| Resource::parse(kind, raw, Access::Read, &BASE).context("a value"))
        .collect()
}

fn read() -> Result<Table> {
    let mut table = Table::new(
        "A value into its one spelling, ns",
        ["kind", "tipstaff", "url alone"],
    );
    for (name, kind) in [
        ("path", ResourceKind::Path),
        ("url", ResourceKind::Url),
        ("host, domain", ResourceKind::Host),
        ("service, repository", ResourceKind::Repository),
        ("none", ResourceKind::None),
    ] {
        resources(kind)?; // All of them can be read.
        let raw = raw(kind);
        let ours = Times::of(&raw, |raw| {
            let _ = black_box(Resource::parse(kind, black_box(raw), Access::Read, &BASE));
        });
        let url = (kind == ResourceKind::Url).then(|| {
            Times::of(&raw, |raw| {
                let _ = black_box(url::Url::parse(black_box(raw)).map(String::from));
            })
        });
        table.row([
            Cell::from(name),
            figure(&ours),
            url.as_ref().map_or(Cell::Empty, figure),
        ]);
    }
    Ok(table)
}

/// Patterns of every shape, by kind.
const PATTERNS: [(ResourceKind, &str); 14] = [
    (ResourceKind::Path, "/srv/app/src/module8/file.rs"),
    (ResourceKind::Path, "/srv/app/**"),
    (ResourceKind::Path, "./src/**"),
    (ResourceKind::Path, "**/.env*"),
    (ResourceKind::Path, "/srv/**/*.{rs,c,h}"),
    (ResourceKind::Path, "/home/*/[!.]*/**"),
    (ResourceKind::Url, "https://good.example/docs/**"),
    (ResourceKind::Url, "*://*.good.example:*/"),
    (ResourceKind::Url, "https://good.example/docs/*?p=two&*"),
    (ResourceKind::Host, "*.good.example"),
    (ResourceKind::Host, "10.1.0.0/16"),
    (ResourceKind::Domain, "api*.good.example"),
    (ResourceKind::Repository, "group1/*"),
    (ResourceKind::None, "**name1*"),
];

fn match_() -> Result<Table> {
    let mut table = Table::new(
        "Whether a pattern means a value, and reading the pattern, ns",
        [
            "pattern",
            "kind",
            "match, as allow",
            "match, as deny",
            "globset match",
            "read",
            "globset read",
        ],
    );
    for (kind, text) in PATTERNS {
        let values = resources(kind)?;
        let pattern = Pattern::parse(text, kind).context("a pattern")?;
        let ours = |case| {
            Times::of(&values, |value| {
                black_box(pattern.matches(black_box(value), BASE.root, case));
            })
        };
        let rounds = vec![(); 200];
        let read = Times::of(&rounds, |()| {
            let _ = black_box(Pattern::parse(black_box(text), kind));
        });
        let (mut peer, mut peer_read) = (Cell::Empty, Cell::Empty);
        if kind == ResourceKind::Path {
            let text = text
                .strip_prefix("./")
                .map_or(text.to_owned(), |rest| format!("/srv/app/{rest}"));
            let build = || {
                globset::GlobBuilder::new(&text)
                    .literal_separator(true)
                    .build()
                    .map(|glob| glob.compile_matcher())
            };
            let glob = build().context("a glob")?;
            peer = figure(&Times::of(&values, |value| {
                black_box(glob.is_match(black_box(value.value())));
            }));
            peer_read = figure(&Times::of(&rounds, |()| {
                let _ = black_box(build());
            }));
        }
        let name = serde_json::to_value(kind)?;
        table.row([
            Cell::Text(format!("`{text}`")),
            Cell::from(name.as_str().unwrap_or_default()),
            figure(&ours(CaseRule::Exact)),
            figure(&ours(CaseRule::Fold)),
            peer,
            figure(&read),
            peer_read,
        ]);
    }
    Ok(table)
}

/// The patterns that are hardest to compare of those that are taken, and ordinary ones.
fn compare() -> Result<Table> {
    let hard = [
        ("ordinary", "/srv/**/*.rs".to_owned(), "**/src/*".to_owned()),
        (
            "long",
            format!("/**/{}", "x".repeat(1000)),
            format!("/{}", "x".repeat(1000)),
        ),
        (
            "many stars",
            format!("/{}", "*a".repeat(250)),
            format!("/{}", "*b".repeat(250)),
        ),
        (
            "many sets",
            format!("/*a{}", "?".repeat(8)),
            format!("/{}", "[ab]".repeat(200)),
        ),
        (
            "many folders",
            format!("/**/{}b", "a/**/".repeat(100)),
            format!("/{}", "*a".repeat(250)),
        ),
    ];
    let mut table = Table::new(
        "Two path patterns compared, ms",
        [
            "patterns",
            "a shortest value that both mean",
            "does the one cover the other",
        ],
    );
    for (name, one, two) in hard {
        let read = |text: &str| Pattern::parse(text, ResourceKind::Path).context("a pattern");
        let (one, two) = (read(&one)?, read(&two)?);
        let (_, overlap) = once(|| one.overlap(CaseRule::Fold, &two, CaseRule::Exact, None));
        let (_, covers) = once(|| one.covers(CaseRule::Fold, &two, CaseRule::Exact, None));
        table.row([
            Cell::from(name),
            Cell::Figure(overlap.as_secs_f64() * 1e3, 2),
            Cell::Figure(covers.as_secs_f64() * 1e3, 2),
        ]);
    }
    Ok(table)
}
