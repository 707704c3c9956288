// # The room AnabranchServer
//
// A zone is the unit of sharing and of order. It keeps an append-only log of change sets and the
// merged state of every record, by names and stamps: it knows no model.
//
// - `Zones`: `ZoneService` answers hello, push and pull. A push is checked (limits, digest and
//   origin, payload, rules, fork, gap, causes, clock), appended to the log and merged into the
//   state in one transaction; pushes that arrive together share one commit.
// - `Merging`: applies a change set to rows. What merges how is decided by the pure rules of
//   AnabranchReplication; here rows are fetched and kept.
// - `Storage`: the protocol of a back end, and the one that keeps a zone in a SQLite file.
// - `Tokens`: who may do what. Secrets are kept as hashes only.
// - `HTTP`: our own small interface of a server, and libmicrohttpd behind it.
// - `Routes`, `Events`: the protocol's requests as paths, and pokes to those who listen.
// - `Logging`: one line of JSON for each request.
