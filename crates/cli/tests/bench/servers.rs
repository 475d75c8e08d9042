//! Servers that are named: who is let in, what is said of them, and what they do to a run.
#![expect(clippy::unwrap_used, reason = "a test may stop where it fails")]

#[cfg(feature = "nats")]
use crate::support::NatsServer;
#[cfg(feature = "grpc")]
use crate::support::Served;
#[cfg(any(feature = "grpc", feature = "nats"))]
use crate::support::bench;

/// All that is printed, and the exit code.
#[cfg(feature = "nats")]
fn said(url: &str, options: &str) -> (String, i32) {
    let output = crate::support::command(&format!(
        "{options} -e raw -m 100 --message-count 20 -w 0 --repeat 1 pc -c 1 nats --url {url}"
    ));
    let output = { output }.output().unwrap();
    let all = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&all).into_owned(), output.status.code().unwrap())
}

#[cfg(feature = "nats")]
#[test]
fn a_login_in_a_nats_url_lets_in_and_is_not_shown() {
    let user = ["--user", "alice", "--pass", "top@secret"];
    let Some(server) = NatsServer::start(&user) else { return };
    let place = &server.place;
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let html = format!("--html {}", page.display());
    for url in ["nats://alice:top%40secret@", "alice:top%40secret@", "nats://alice:top@secret@"] {
        for options in ["--format json", "--format markdown", "", &html] {
            let (said, code) = said(&format!("{url}{place}"), options);
            assert_eq!(code, 0, "{said}");
            assert!(!said.contains("secret"), "{said}");
        }
    }
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(place.as_str()) && !page.contains("secret"));
    for url in ["nats://alice:wrongsecret@", "nats://wrongsecret@", "nats://"] {
        let (said, code) = said(&format!("{url}{place}"), "");
        assert_eq!(code, 1, "{said}");
        assert!(said.contains(place.as_str()) && !said.contains("secret"), "{said}");
        assert!(said.contains("authorization violation"), "{said}");
    }
}

#[cfg(feature = "nats")]
#[test]
fn a_token_in_a_nats_url_lets_in_and_is_not_shown() {
    let Some(server) = NatsServer::start(&["--auth", "s3:cret"]) else { return };
    let place = &server.place;
    let (good, code) = said(&format!("nats://s3%3Acret@{place}"), "--format json");
    assert_eq!((code, good.contains("cret@")), (0, false), "{good}");
    let (bad, code) = said(&format!("nats://wrongsecret@{place}"), "");
    assert!(code == 1 && !bad.contains("secret"), "{bad}");
    for url in ["nats://a:topsecret@127.0.0.1:9", "nats://topsecret@no where", "x://topsecret@h"] {
        let (said, code) = said(url, "");
        assert!(code != 0 && !said.contains("topsecret"), "{said}");
    }
}

#[cfg(feature = "nats")]
#[test]
fn a_stream_that_somebody_empties_does_not_hold_up_a_run() {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};
    let Some(server) = NatsServer::start(&[]) else { return };
    let (is_over, place) = (AtomicBool::new(false), &server.place);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                use futures_util::StreamExt as _;
                let client = async_nats::connect(place.as_str()).await.unwrap();
                let context = async_nats::jetstream::new(client);
                while !is_over.load(Ordering::Relaxed) {
                    let mut names = context.stream_names();
                    while let Some(Ok(name)) = names.next().await {
                        if let Ok(stream) = context.get_stream(name).await {
                            drop(stream.purge().await);
                        }
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            });
        });
        let begin = Instant::now();
        let (report, _, said) = bench(&format!(
            "-e raw -m 1000 -P 5000 -T 40MB -d 2s --idle-limit 5s -w 0 --repeat 1 pc -c 2 \
             nats --url {place}"
        ));
        is_over.store(true, Ordering::Relaxed);
        assert!(begin.elapsed() < Duration::from_secs(20), "{said}");
        let report = report.unwrap_or_else(|| panic!("{said}"));
        let run = report.encodings.first().unwrap().runs.first().unwrap();
        assert!(run.verified.messages < 40_000, "{:?}", run.verified);
    });
}

#[cfg(feature = "grpc")]
#[test]
fn what_is_no_server_of_ours_is_asked_after() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        while let Ok((mut socket, _)) = listener.accept() {
            // As a NATS server begins.
            let _ = std::io::Write::write_all(&mut socket, b"INFO {\"server_id\":\"N\"}\r\n");
        }
    });
    let (_, code, said) = bench(&format!("-e raw -w 0 --repeat 1 grpc --server {address}"));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains(&address.to_string()), "{said}");
    assert!(said.contains("is it `thinwire bench serve grpc`?"), "{said}");
}

#[cfg(feature = "grpc")]
#[test]
fn a_grpc_server_takes_no_login_and_shows_none() {
    let served = Served::start();
    let place = served.url.strip_prefix("http://").unwrap();
    for url in [format!("http://a:topsecret@{place}"), format!("topsecret@{place}")] {
        let (report, code, said) = bench(&format!("-e raw grpc --server {url}"));
        assert_eq!((report, code), (None, 2), "{said}");
        assert!(said.contains(place) && !said.contains("topsecret"), "{said}");
    }
}

#[cfg(all(unix, feature = "grpc"))]
#[test]
fn clients_that_were_killed_take_no_place_of_others() {
    let served = Served::start();
    let arguments = |duration| {
        format!("-e raw -m 500 -d {duration} -w 0 --repeat 1 ppc -p 1 grpc --server {}", served.url)
    };
    let start = |duration| {
        let command = format!("--format json {}", arguments(duration));
        crate::support::command(&command).spawn().unwrap()
    };
    for _ in 0..3 {
        let killed: Vec<_> = (0..6).map(|_| start("60s")).collect();
        std::thread::sleep(std::time::Duration::from_millis(700));
        for mut client in killed {
            client.kill().unwrap();
            client.wait().unwrap();
        }
    }
    let clients: Vec<_> = (0..6).map(|_| start("300ms")).collect();
    for client in clients {
        let (_, code, said) = crate::support::outcome(&client.wait_with_output().unwrap());
        assert_eq!(code, 0, "{said}");
    }
}
