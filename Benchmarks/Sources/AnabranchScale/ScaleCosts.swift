/// The measured costs that a simulation is made of, in seconds. The defaults are those of
/// Documentation/Scale.md, from `AnabranchLoad` on PostgreSQL.
struct ScaleCosts {
    /// Processor time of a daemon for one push.
    var daemonPush = 820e-6
    /// Processor time of the database for one commit, whatever is in it.
    var databaseCommit = 1270e-6
    /// Processor time of the database for each push in a commit.
    var databasePush = 120e-6
    /// One flush of the database's log to the disk, which confirms all commits that wait for it.
    var flush = 180e-6
    /// The time on the network for a request and its answer, between client and daemon.
    var network = 1e-3
    /// The time on the network for a statement and its answer, between daemon and database.
    var roundTrip = 200e-6
    /// The pushes that one group commit takes at most.
    var greatestGroup = 64
}

/// One database and the daemons before it.
struct CellSize {
    var databaseCores = 8
    var daemons = 3
    var daemonCores = 4
}
