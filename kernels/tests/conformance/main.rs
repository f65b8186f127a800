//! What every kernel has to do beyond its vectors, on random messages.

mod agreement;
mod lanes;
mod lanes_call;
mod manners;
mod refusals;
mod tags;
mod texts;
mod threegpp;
