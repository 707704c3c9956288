// # The module AnabranchServer
//
// A zone is the unit of sharing and of order. It keeps an append-only log of change sets and the
// merged state of every record. It merges by wire names and stamps and does not know a model.
//
// - `Zones`: `ZoneService` answers hello, push and pull. It checks each pushed change set: limits,
//   digest and origin, payload, rules, forks, gaps, causes and clock. Then it appends the change
//   set to the log and merges it into the state, in one transaction. Pushes that arrive together
//   share one commit.
// - `Merging`: applies a change set to rows. The pure rules of AnabranchReplication decide the
//   result; this folder reads and writes the rows.
// - `Storage`: the protocol of a back end, and the back end that keeps each zone in a SQLite file.
// - `Tokens`: the access tokens of zones. Secrets are stored as hashes only.
// - `HTTP`: a small interface of an HTTP server, and its implementation with libmicrohttpd.
// - `Routes`: the protocol's requests as paths.
// - `Events`: notifies connected clients that a zone's log has grown.
// - `Logging`: one line of JSON for each request.
