//! Authenticated encryption. The kernel's answer begins with the associated data.

use super::context::Context;
use super::control::Control;
use super::layout::Layout;
use super::socket::whole;
use ciphermark_providers::api::*;
use ciphermark_providers::pieces::{Cut, FunctionInPieces};

/// Makes the function of the layout's operation.
pub fn function(context: Context, layout: Layout) -> Box<dyn Function> {
    Box::new(Aead { context, control: layout.control(), layout, associated: Vec::new() })
}

struct Aead {
    context: Context,
    layout: Layout,
    control: Control,
    /// Room for the associated data, which nobody wants back; as long as the longest so far.
    associated: Vec<u8>,
}

impl FunctionInPieces for Aead {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.context.set_key(key)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        self.layout.check(message, output.len())?;
        let Message { nonce, aad, input, .. } = *message;
        if aad.len() + input.len().max(output.len()) > self.context.most_bytes() {
            return Err(CallError::Length);
        }
        // The kernel does nothing for a reader without room, not even look at the tag.
        let room = if output.is_empty() { aad.len().max(1) } else { aad.len() };
        self.associated.resize(self.associated.len().max(room), 0);
        let associated = &mut self.associated[..room];
        let mut control = self.control.of(nonce, aad.len());
        self.context.request(|requests| {
            for piece in cut.pieces(input.len(), 1) {
                let aad = if control.is_empty() { &[] } else { aad };
                let more = piece.end < input.len();
                requests.send(control, [aad, &input[piece]], more)?;
                control = &[];
            }
            let expected = aad.len() + output.len();
            whole(requests.receive_pieces([associated, output])?, expected)
        })
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.context.renew(what)
    }
}
