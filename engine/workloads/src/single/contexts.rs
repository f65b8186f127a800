//! A context for each of many keys.

use ciphermark_providers::api::{CreateError, Function, Provider, Request};
use rand::seq::SliceRandom;

use super::calls::Calls;
use super::expected::failed;
use super::series::Series;
use crate::inputs::generator;
use crate::memory::{Watch, check_room};

/// Memory that an association takes at least: contexts of cipher and MAC.
const ASSOCIATION_BYTES: usize = 1024;

/// What the lists of contexts and of their turns take for each key.
const LISTED_BYTES: usize = size_of::<u32>() + size_of::<Option<Box<dyn Function>>>();

/// Makes a suite with its associations, which finds the one of each packet itself.
pub fn associations(
    provider: &dyn Provider,
    request: &Request<'_>,
    whose: &str,
    series: &Series,
) -> Result<Calls, CreateError> {
    let what = format!("{} associations of {whose}", request.associations);
    check_room(&what, request.associations * ASSOCIATION_BYTES).map_err(CreateError::Failed)?;
    let watch = Watch::begin();
    let mut function = provider.create(request)?;
    function.set_key(&series.key(0)).map_err(failed)?;
    Ok(Calls::Many { functions: vec![function], bytes: watch.taken() })
}

/// Makes `count` contexts, each with its key. Libraries lay contexts out in the order in which they
/// are made; messages visit them in another, which no prefetcher follows.
pub fn make(
    provider: &dyn Provider,
    request: &Request<'_>,
    whose: &str,
    series: &Series,
    count: u32,
) -> Result<Calls, CreateError> {
    Watch::begin().expect(LISTED_BYTES, count as usize, whose).map_err(CreateError::Failed)?;
    let mut turns: Vec<u32> = (0..count).collect();
    turns.shuffle(&mut generator(0, "turns of contexts", count as usize));
    let mut functions: Vec<Option<Box<dyn Function>>> = turns.iter().map(|_| None).collect();
    let watch = Watch::begin();
    for (made, &turn) in turns.iter().enumerate() {
        watch.look(made, count as usize, whose).map_err(CreateError::Failed)?;
        let mut function = provider.create(request)?;
        function.set_key(&series.key(turn.into())).map_err(failed)?;
        functions[turn as usize] = Some(function);
    }
    let functions = functions.into_iter().flatten().collect();
    Ok(Calls::Many { functions, bytes: watch.taken() })
}
