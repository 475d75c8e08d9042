//! Messages as they were before encryption.

use bytes::Bytes;
use iggy::prelude::{EncryptorKind, IggyError, IggyMessage};

use crate::message::with_parts;

/// Decrypts payload and headers.
///
/// # Errors
///
/// One of them can't be: it is not encrypted, with another key, or damaged.
pub(crate) fn decrypted(
    message: &IggyMessage,
    encryptor: &EncryptorKind,
) -> Result<IggyMessage, IggyError> {
    let decrypt = |bytes: &Bytes| {
        if bytes.len() < NONCE_LEN {
            return Err(IggyError::CannotDecryptData); // where the SDK's own panics
        }
        encryptor.decrypt(bytes).map(Bytes::from)
    };
    let payload = decrypt(&message.payload)?;
    let headers = message.user_headers.as_ref().map(decrypt).transpose()?;
    Ok(with_parts(&message.header, payload, headers))
}

/// What an encrypted part begins with.
const NONCE_LEN: usize = 12;

#[cfg(test)]
mod tests {
    use iggy::prelude::Aes256GcmEncryptor;

    use super::*;

    fn key(byte: u8) -> EncryptorKind {
        EncryptorKind::Aes256Gcm(Aes256GcmEncryptor::new(&[byte; 32]).unwrap())
    }

    fn encrypted(message: &IggyMessage, key: &EncryptorKind) -> IggyMessage {
        let encrypt = |bytes: &Bytes| Bytes::from(key.encrypt(bytes).unwrap());
        let headers = message.user_headers.as_ref().map(encrypt);
        with_parts(&message.header, encrypt(&message.payload), headers)
    }

    #[test]
    fn what_was_encrypted_comes_back_with_the_key_alone() {
        let headers = Some(Bytes::from_static(b"headers"));
        let plain = IggyMessage { payload: "payload".into(), ..IggyMessage::default() };
        for plain in [
            with_parts(&plain.header, plain.payload.clone(), None),
            with_parts(&plain.header, plain.payload.clone(), headers),
        ] {
            let sent = encrypted(&plain, &key(1));
            assert_eq!(decrypted(&sent, &key(1)).unwrap(), plain);
            assert!(decrypted(&sent, &key(2)).is_err());
            assert!(decrypted(&plain, &key(1)).is_err());
        }
    }

    #[test]
    fn parts_of_any_length_are_an_error_and_no_panic() {
        for len in 0..40 {
            let message = IggyMessage { payload: vec![7; len].into(), ..IggyMessage::default() };
            assert!(decrypted(&message, &key(1)).is_err());
            let half = encrypted(&IggyMessage::from("payload"), &key(1));
            let half = IggyMessage { user_headers: Some(vec![7; len].into()), ..half };
            assert!(decrypted(&half, &key(1)).is_err());
        }
    }
}
