//! What a background producer failed to send, as the application made it.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use iggy::clients::producer_error_callback::{ErrorCallback, ErrorCtx};
use iggy::prelude::{EncryptorKind, IggyMessage};
use thinwire_stream::{ClientCompressionConfig, ConfigError, Label, MessageCodec};

use crate::encryption;
use crate::message::{Iggy, with_parts};

/// An [`ErrorCallback`] that calls another with the messages as they were given to
/// [`CompressedProducer`](crate::CompressedProducer): a background producer gives back what it
/// would have sent. A message that the application had labelled itself is decompressed as well:
/// the label does not say whose it is.
///
/// ```
/// use iggy::clients::producer_error_callback::LogErrorCallback;
/// use iggy::prelude::BackgroundConfig;
/// use thinwire::Encoding;
/// use thinwire_iggy::{ClientCompressionConfig, RestoringCallback};
///
/// let config = ClientCompressionConfig::new(Encoding::Lz4);
/// let callback = RestoringCallback::new(LogErrorCallback, &config)?; // around your own
/// let background =
///     BackgroundConfig::builder().error_callback(std::sync::Arc::new(Box::new(callback))).build();
/// # Ok::<(), thinwire_iggy::ConfigError>(())
/// ```
pub struct RestoringCallback<C> {
    callback: Arc<C>,
    codec: MessageCodec,
    encryptor: Option<Arc<EncryptorKind>>,
}

impl<C: ErrorCallback> RestoringCallback<C> {
    /// Wraps a callback; the configuration is the producer's.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], which names the field.
    pub fn new(callback: C, config: &ClientCompressionConfig) -> Result<Self, ConfigError> {
        let codec = MessageCodec::new(config, Label::IGGY)?;
        Ok(Self { callback: Arc::new(callback), codec, encryptor: None })
    }

    /// Sets what the producer encrypts with: without it, what is encrypted stays so.
    #[must_use]
    pub fn encryptor(self, encryptor: Arc<EncryptorKind>) -> Self {
        Self { encryptor: Some(encryptor), ..self }
    }
}

impl<C: ErrorCallback> ErrorCallback for RestoringCallback<C> {
    fn call(&self, failed: ErrorCtx) -> Pin<Box<dyn Future<Output = ()> + Send + 'static>> {
        let (callback, codec) = (self.callback.clone(), self.codec.clone());
        let encryptor = self.encryptor.clone();
        Box::pin(async move {
            let mut messages = Vec::with_capacity(failed.messages.len());
            for message in failed.messages.iter() {
                let given = before_encryption(message, encryptor.as_deref());
                messages.push(match codec.maybe_decompress_off_runtime(Iggy(given)).await {
                    Ok(message) => message.into_inner(),
                    Err(bad) => bad.into_message().into_inner(), // told where it failed
                });
            }
            callback.call(ErrorCtx { messages: Arc::new(messages), ..failed }).await;
        })
    }
}

/// As it was before encryption; as it is if that can't be undone, as when it was encryption that
/// failed.
fn before_encryption(message: &IggyMessage, encryptor: Option<&EncryptorKind>) -> IggyMessage {
    let decrypted = encryptor.map(|it| encryption::decrypted(message, it));
    match decrypted {
        Some(Ok(decrypted)) => decrypted,
        Some(Err(_)) | None => {
            with_parts(&message.header, message.payload.clone(), message.user_headers.clone())
        }
    }
}

impl<C: fmt::Debug> fmt::Debug for RestoringCallback<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RestoringCallback")
            .field("callback", &self.callback)
            .field("codec", &self.codec)
            .finish_non_exhaustive()
    }
}
