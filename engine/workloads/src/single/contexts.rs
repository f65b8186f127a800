//! A context for each of many keys.

use ciphermark_providers::api::{CreateError, Function, Provider, Request};
use rand::seq::SliceRandom;

use super::calls::Calls;
use super::expected::failed;
use super::memory::Watch;
use super::series::Series;
use crate::inputs::generator;

/// Makes `count` contexts, each with its key. Libraries lay contexts out in the order in which they
/// are made; messages visit them in another, which no prefetcher follows.
pub fn make(
    provider: &dyn Provider,
    request: &Request<'_>,
    whose: &str,
    series: &Series,
    count: u32,
) -> Result<Calls, CreateError> {
    let mut turns: Vec<u32> = (0..count).collect();
    turns.shuffle(&mut generator(0, "turns of contexts", count as usize));
    let mut functions: Vec<Option<Box<dyn Function>>> = turns.iter().map(|_| None).collect();
    let watch = Watch::begin(); // the lists themselves take but 20 bytes a key
    for (made, &turn) in turns.iter().enumerate() {
        watch.look(made, count as usize, whose).map_err(CreateError::Failed)?;
        let mut function = provider.create(request)?;
        function.set_key(&series.key(turn.into())).map_err(failed)?;
        functions[turn as usize] = Some(function);
    }
    let functions = functions.into_iter().flatten().collect();
    Ok(Calls::Many { functions, bytes: watch.taken() })
}
