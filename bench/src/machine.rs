//! What a figure was measured on: a timing without its machine says nothing.

use serde::Serialize;

/// The machine and its tools, as far as they bear on a timing.
#[derive(Debug, Clone, Serialize)]
pub struct Machine {
    cpu: String,
    cores: usize,
    memory_gib: u64,
    os: String,
    rustc: String,
}

impl Machine {
    /// Reads `/proc` and asks rustc; what cannot be found out is told as `unknown`.
    pub fn here() -> Self {
        let read = |path| std::fs::read_to_string(path).unwrap_or_default();
        let field = |text: &str, name: &str| {
            let line = text.lines().find(|line| line.starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let kib = field(&read("/proc/meminfo"), "MemTotal")
            .and_then(|total| total.split(' ').next()?.parse::<u64>().ok());
        let rustc = std::process::Command::new("rustc")
            .arg("--version")
            .output();
        let rustc = rustc
            .ok()
            .and_then(|out| String::from_utf8(out.stdout).ok());
        let unknown = || "unknown".to_owned();
        Self {
            cpu: field(&read("/proc/cpuinfo"), "model name").unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory_gib: kib.unwrap_or(0).div_ceil(1 << 20),
            os: format!(
                "{} {}",
                std::env::consts::OS,
                read("/proc/sys/kernel/osrelease").trim()
            ),
            rustc: rustc.map_or_else(unknown, |text| text.trim().to_owned()),
        }
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            cpu,
            cores,
            memory_gib,
            os,
            rustc,
        } = self;
        write!(f, "{cpu}, {cores} cores, {memory_gib} GiB, {os}, {rustc}")
    }
}
