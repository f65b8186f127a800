//! One suite for every implementation of every provider that can be used here.

mod agreement;
mod behaviour;
mod hidden_features;
mod subjects;
mod vectors;
