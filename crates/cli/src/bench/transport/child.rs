//! A server in a process of the benchmark's own, gone with it.
//!
//! A shell makes its folder, starts it, and waits for the end of its own input: a pipe from the
//! benchmark, which ends when the benchmark does, even if it is killed. Then it kills the server
//! and removes the folder. Nothing else does, so no moment is left in which something would stay.

use std::io::{BufRead, BufReader, Error, Result, Write};
use std::path::{Path, PathBuf};
use std::process::{self, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// A server's folder and, once it is started, the server; both are gone when this is.
#[derive(Debug)]
pub(super) struct Child {
    folder: PathBuf,
    shell: Mutex<Shell>,
}

#[derive(Debug)]
struct Shell {
    process: process::Child,
    /// Its end is the signal.
    input: Option<ChildStdin>,
    /// What it says: that the folder is there, the server's number, and how that ended.
    lines: Receiver<String>,
    end: Option<String>,
}

impl Child {
    /// Makes a folder for this program, which has it as its working folder, and its output in
    /// `log` there. Ctrl-C does not reach it: the benchmark ends it when it has asked it for what it
    /// knows.
    pub(super) fn prepare(program: &Command) -> Result<Self> {
        let name = format!("thinwire-bench-{:016x}", fastrand::u64(..));
        let folder = std::env::temp_dir().join(name);
        let folder = std::path::absolute(folder)?;
        let mut process = shell(&folder, program)?;
        let input = process.stdin.take();
        let (to, lines) = channel();
        if let Some(output) = process.stdout.take() {
            thread::spawn(move || {
                BufReader::new(output).lines().map_while(Result::ok).try_for_each(|it| to.send(it))
            });
        }
        let shell = Shell { process, input, lines, end: None };
        let child = Self { folder, shell: Mutex::new(shell) };
        child.shell().line()?; // the folder is there
        Ok(child)
    }

    /// Starts the program; returns the number of its process.
    pub(super) fn start(&self) -> Result<u32> {
        let mut shell = self.shell();
        let input = shell.input.as_mut().ok_or_else(gone)?;
        input.write_all(b"go\n")?;
        shell.line()?.parse().map_err(Error::other)
    }

    #[cfg(feature = "nats")]
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// How it ended, if it has.
    pub(super) fn end(&self) -> Option<String> {
        self.shell().end()
    }

    /// Waits until it has ended.
    pub(super) async fn gone(&self) -> String {
        loop {
            if let Some(why) = self.end() {
                return why;
            }
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// What it has said. Of what killed it, it could say nothing.
    pub(super) fn said(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    fn shell(&self) -> MutexGuard<'_, Shell> {
        self.shell.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shell {
    fn line(&self) -> Result<String> {
        self.lines.recv_timeout(PATIENCE).map_err(|_| gone())
    }

    fn end(&mut self) -> Option<String> {
        if self.end.is_none() {
            let code: i32 = self.lines.try_recv().ok()?.parse().unwrap_or_default();
            self.end = Some(match code {
                // So shells write a signal.
                129.. => format!("it was ended by signal {}", code - 128),
                code => format!("it ended with exit status {code}"),
            });
        }
        self.end.clone()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let mut shell = self.shell();
        shell.input = None;
        let _ = shell.process.wait();
    }
}

fn gone() -> Error {
    Error::other("the shell that is to start it has ended")
}

fn shell(folder: &Path, program: &Command) -> Result<process::Child> {
    let start = |shell: &str| {
        let mut command = Command::new(shell);
        command.args(["-c", SCRIPT, "sh"]).arg(folder);
        command.arg(program.get_program()).args(program.get_args());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn()
    };
    start("sh").or_else(|_| start("/bin/sh")).map_err(|error| {
        Error::new(error.kind(), format!("it takes a shell, sh, to start a server: {error}"))
    })
}

/// `$1` is the folder, what follows the program. The folder stays until the benchmark has had time
/// to read there why the program ended.
const SCRIPT: &str = r#"
trap '' HUP INT TERM PIPE # there may be nobody left to tell
PATH=${PATH:+$PATH:}/usr/bin:/bin
folder=$1; shift
mkdir -m 700 -- "$folder" && cd -- "$folder" || exit
exec 3<&0
echo made
if read -r _ <&3; then
    "$@" >log 2>&1 </dev/null 3<&- &
    program=$!
    { read -r _ <&3; kill -9 "$program"; } &
    watcher=$!
    echo "$program"
    wait "$program"
    status=$?
    kill -9 "$watcher"
    echo "$status"
    read -r _ <&3
fi
cd / && rm -rf -- "$folder"
"#;

const GLANCE: Duration = Duration::from_millis(20);

/// A shell starts within milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);
