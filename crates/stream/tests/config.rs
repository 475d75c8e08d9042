//! The configuration: what it refuses, and how it is written in a file.

use thinwire::{Encoding, Level};
use thinwire_stream::{ClientCompressionConfig, Label, MessageCodec};

#[test]
fn every_level_of_an_algorithm_is_taken_and_no_other() {
    for encoding in Encoding::ALL {
        let config = ClientCompressionConfig::new(encoding);
        config.validate().unwrap();
        let Some(range) = Level::range(encoding) else {
            assert_eq!(config.level(1).validate().unwrap_err().field(), "level", "{encoding}");
            continue;
        };
        for level in [*range.start(), *range.end()] {
            config.clone().level(level).validate().unwrap();
        }
        for level in [*range.start() - 1, *range.end() + 1] {
            let error = config.clone().level(level).validate().unwrap_err();
            assert_eq!(error.field(), "level", "{encoding}");
            assert!(error.to_string().starts_with("level: "), "{error}");
            assert!(error.to_string().contains(&range.end().to_string()), "{error}: the range");
        }
    }
}

#[test]
fn a_payload_limit_of_nothing_is_refused_wherever_it_is_used() {
    let config = ClientCompressionConfig::new(Encoding::Zstd).max_payload_size(0);
    assert_eq!(config.validate().unwrap_err().field(), "max_payload_size");
    for label in [Label::IGGY, Label::CONTENT_ENCODING] {
        assert_eq!(MessageCodec::new(&config, label).unwrap_err().field(), "max_payload_size");
    }
    ClientCompressionConfig::new(Encoding::Zstd).max_payload_size(1).validate().unwrap();
}

#[test]
fn a_codec_refuses_what_validation_refuses() {
    let config = ClientCompressionConfig::new(Encoding::Zstd).level(23);
    let error = MessageCodec::new(&config, Label::IGGY).unwrap_err();
    assert_eq!(error, config.validate().unwrap_err());
}

#[cfg(feature = "serde")]
mod file {
    use serde_json::json;
    use thinwire::Encoding;
    use thinwire_stream::{ClientCompressionConfig, OnError};

    fn read(text: &serde_json::Value) -> Result<ClientCompressionConfig, String> {
        serde_json::from_str(&text.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_said_has_its_default() {
        for encoding in Encoding::ALL {
            let read = read(&json!({ "algorithm": encoding.name() })).unwrap();
            assert_eq!(read, ClientCompressionConfig::new(encoding));
        }
        let empty = json!({ "algorithm": "lz4", "level": null, "max_payload_size": null });
        assert_eq!(read(&empty).unwrap(), ClientCompressionConfig::new(Encoding::Lz4));
    }

    #[test]
    fn every_field_is_read() {
        let read = read(&json!({
            "algorithm": "zstd",
            "level": 7,
            "min_size": 200,
            "max_payload_size": 1_048_576,
            "on_error": "stop",
        }));
        let expected = ClientCompressionConfig::new(Encoding::Zstd)
            .level(7)
            .min_size(200)
            .max_payload_size(1 << 20)
            .on_error(OnError::Stop);
        assert_eq!(read.unwrap(), expected);
    }

    #[test]
    fn off_is_off_in_any_letter_case() {
        for off in ["off", "OFF", "Off"] {
            let read = read(&json!({ "algorithm": off })).unwrap();
            assert_eq!(read, ClientCompressionConfig::off());
        }
    }

    #[test]
    fn what_is_done_with_errors_is_read_in_any_letter_case() {
        for skip in ["skip", "SKIP", "Skip"] {
            let read = read(&json!({ "algorithm": "off", "on_error": skip })).unwrap();
            assert_eq!(read, ClientCompressionConfig::off().on_error(OnError::Skip));
        }
    }

    #[test]
    fn what_is_written_is_read_as_the_same() {
        let base = [
            ClientCompressionConfig::off(),
            ClientCompressionConfig::new(Encoding::Zstd).level(-7),
            ClientCompressionConfig::new(Encoding::SnappyBlock).min_size(0),
            ClientCompressionConfig::new(Encoding::SnappyFramed).max_payload_size(1),
        ];
        for config in base {
            for on_error in [OnError::Report, OnError::Skip, OnError::Stop, OnError::Raw] {
                let config = config.clone().on_error(on_error);
                let written = serde_json::to_string(&config).unwrap();
                assert_eq!(
                    serde_json::from_str::<ClientCompressionConfig>(&written).unwrap(),
                    config
                );
            }
        }
        let off = serde_json::to_value(ClientCompressionConfig::off()).unwrap();
        assert_eq!(off, json!({ "algorithm": "off", "min_size": 256, "on_error": "report" }));
    }

    #[test]
    fn what_is_wrong_is_an_error_that_names_the_field_and_the_value() {
        for (written, field, value) in [
            (json!({}), "algorithm", "missing"),
            (json!({ "algorithm": "brotli" }), "algorithm", "brotli"),
            (json!({ "algorithm": 3 }), "algorithm", "3"),
            (json!({ "algorithm": "zstd", "level": 23 }), "level", "23"),
            (json!({ "algorithm": "zstd", "level": "high" }), "level", "high"),
            (json!({ "algorithm": "snappy", "level": 1 }), "level", "1"),
            (json!({ "algorithm": "off", "level": 1 }), "level", "none"),
            (json!({ "algorithm": "zstd", "min_size": -1 }), "min_size", "-1"),
            (json!({ "algorithm": "zstd", "min_size": "200" }), "min_size", "200"),
            (json!({ "algorithm": "zstd", "max_payload_size": 0 }), "max_payload_size", "0"),
            (json!({ "algorithm": "zstd", "max_payload_size": 1.5 }), "max_payload_size", "1.5"),
            (json!({ "algorithm": "zstd", "on_error": "retry" }), "on_error", "retry"),
            (json!({ "algorithm": "zstd", "on_error": "Skipped" }), "on_error", "skipped"),
            (json!({ "algorithm": "zstd", "minsize": 200 }), "minsize", "unknown"),
        ] {
            let error = read(&written).unwrap_err();
            assert!(error.contains(field) && error.contains(value), "{written}: {error}");
        }
    }
}
