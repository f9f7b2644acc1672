//! What the scenarios share: builders, a scripted model, a fake streaming server.
