package import AnabranchProtocol
package import AnabranchReplication

/// Carries the news that a zone's log has grown between the daemons that serve one back end.
///
/// The news is a hint and may be lost: a daemon that was disconnected is told so, and reads the
/// heads of its zones again.
package protocol HeadExchange: AnyObject, Sendable {
    /// Tells the other daemons about a zone's new head, soon after this returns.
    func announce(_ news: HeadNews)

    /// Begins to listen.
    ///
    /// - Parameter receive: Receives what other daemons announce; `nil` after a time in which
    ///   announcements may have been lost. If it throws, the news counts as lost: it receives `nil`
    ///   again, a moment later.
    func listen(_ receive: @escaping @Sendable (HeadNews?) throws -> Void)

    /// Ends listening. A second call has no effect.
    func close()
}

/// The head to which a zone's log has grown.
package struct HeadNews: Hashable, Sendable {
    package var zone: ZoneName
    package var epoch: EpochID
    package var position: UInt64
}
