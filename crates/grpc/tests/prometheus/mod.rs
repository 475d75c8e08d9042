//! A real Prometheus server, on a port of its choice, killed when it goes out of scope.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::panic,
    reason = "a test may stop where it fails; the lints allow it in test functions only"
)]

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::http;

#[derive(Debug)]
pub(crate) struct Prometheus {
    child: Child,
    address: SocketAddr,
    folder: TempDir,
}

impl Prometheus {
    /// Starts one without any configuration; `None`, and a word about it, where there is none.
    pub(crate) fn start() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let config = folder.path().join("prometheus.yml");
        fs::write(&config, "").unwrap();
        let spawned = Command::new("prometheus")
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", folder.path().join("data").display()))
            .args(["--web.listen-address=127.0.0.1:0", "--web.enable-lifecycle"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = match spawned {
            Ok(child) => child,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                assert!(std::env::var_os("CI").is_none(), "prometheus is not installed");
                println!("skipped: prometheus is not installed");
                return None;
            }
            Err(error) => panic!("prometheus: {error}"),
        };
        let log = BufReader::new(child.stderr.take().unwrap());
        let mut prometheus = Self { child, address: SocketAddr::from(([0; 4], 0)), folder };
        prometheus.address = prometheus.read(log);
        Some(prometheus)
    }

    /// Reads from the log where it listens, and goes on reading, or it would block some day.
    fn read(&self, log: impl BufRead + Send + 'static) -> SocketAddr {
        let mut lines = log.lines().map_while(Result::ok);
        let mut seen = String::new();
        let address = loop {
            let Some(line) = lines.next() else {
                panic!("prometheus {} ended: {seen}", self.child.id());
            };
            if line.contains("Listening on")
                && let Some((_, address)) = line.split_once(" address=")
            {
                break address.trim().parse().unwrap();
            }
            seen = seen + &line + "\n";
        };
        std::thread::spawn(move || lines.for_each(drop));
        address
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Gives it another configuration.
    pub(crate) fn configure(&self, config: &str) {
        fs::write(self.folder.path().join("prometheus.yml"), config).unwrap();
        loop {
            // While it starts it is not ready for one.
            let (status, answer) = http(self.address, "POST /-/reload HTTP/1.1", b"");
            match status {
                200 => return,
                503 => std::thread::sleep(Duration::from_millis(20)),
                _ => panic!("{answer}"),
            }
        }
    }

    /// How many samples it has sent for good, or is about to; `None` while some wait for it.
    pub(crate) fn samples_sent(&self) -> Option<u64> {
        let (status, text) = http(self.address, "GET /metrics HTTP/1.1", b"");
        assert_eq!(status, 200, "{text}");
        let of = |name| metric(&text, &format!("prometheus_remote_storage_samples_{name}"));
        (of("pending") == 0).then(|| of("total") - of("retried_total") - of("failed_total"))
    }

    /// Lets it end in order.
    pub(crate) fn stop(&mut self) {
        let (status, answer) = http(self.address, "POST /-/quit HTTP/1.1", b"");
        assert_eq!(status, 200, "{answer}");
        assert!(self.child.wait().expect("it was started").success());
    }
}

/// The sum of a metric under all its labels.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count, written as a float"
)]
fn metric(text: &str, name: &str) -> u64 {
    let of_this = text
        .lines()
        .filter(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' '])));
    let values = of_this.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap());
    values.sum::<f64>() as u64
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill(); // an error if it has ended
        let _ = self.child.wait();
    }
}
