extension WriteTransaction {
    /// The log, with the replicas known now. Read the property again after a replica may have been
    /// added.
    var log: ChangeLog { ChangeLog(connection: connection, replicas: replicas) }
}
