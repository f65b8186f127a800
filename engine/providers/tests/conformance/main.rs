//! One suite for every implementation of every provider that can be used here.

mod agreement;
mod behaviour;
mod child;
mod hidden_features;
mod lanes;
mod packets;
mod patterns;
mod subjects;
mod switches;
mod vectors;
