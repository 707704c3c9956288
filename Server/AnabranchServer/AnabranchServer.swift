// # The module AnabranchServer
//
// A zone is the unit of sharing and of order. It keeps an append-only log of change sets and the
// merged state of every record. It merges by wire names and stamps and does not know a model.
//
// The folders from the lowest up; each uses only the ones before it in this list:
//
// - `Files`: what all SQLite files of a server have: a format number, columns with IDs and digests,
//   and one type of error.
// - `PostgreSQL`: connections to a database, and a pool of them.
// - `Storage`: what a zone stores, as values (`State`) and protocols, and a zone in a SQLite file
//   or in the tables of a database.
// - `Metrics`: counters, gauges and histograms for Prometheus.
// - `Merging`: applies a change set to rows. The pure rules of AnabranchReplication decide the
//   result; this folder reads and writes the rows.
// - `Tokens`: the access tokens of zones. Secrets are stored as hashes only.
// - `BackEnds`: all zones and tokens of one location, as a protocol, as a directory of files and as
//   a database that many daemons share.
// - `Zones`: `ZoneService` answers hello, push and pull. It checks each pushed change set: limits,
//   digest and origin, payload, rules, forks, gaps, causes and clock. Then it appends the change
//   set to the log and merges it into the state, in one transaction. Pushes that arrive together
//   share one commit.
// - `HTTP`: a small interface of an HTTP server, and its implementation with libmicrohttpd.
// - `TLS`: the certificate of a server and its key.
// - `Logging`: one line of JSON for each request.
// - `Events`: notifies connected clients that a zone's log has grown.
// - `Routes`: the protocol's requests as paths.
// - `SyncServer.swift`: a server and a store for programs, composed of all of these.
