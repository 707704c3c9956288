public import AnabranchProtocol

/// The result of copying one zone.
public struct ZoneCopy: Hashable, Sendable {
    /// The name of the zone.
    public var zone: ZoneName
    /// The number of entries by which an earlier copy was continued; `nil` if the zone was copied
    /// as a whole.
    public var entries: UInt64?
}

extension ZoneStore {
    /// Copies all zones and tokens to another store, also between a directory and a database.
    ///
    /// Each zone is copied as it is at one moment, while daemons serve both stores. A copy that was
    /// made before gets only what is new. After a failure, the zones before it are copied.
    ///
    /// - Parameters:
    ///   - isReplacing: True if a zone of the other store that is no earlier copy is replaced.
    ///   - beginningEpochs: True if each copied zone begins an epoch, because clients may have seen
    ///     more than the copy has.
    ///   - progress: Receives each zone when it is copied.
    public func copyZones(
        to other: ZoneStore, replacing isReplacing: Bool = false, beginningEpochs: Bool = false,
        progress: (ZoneCopy) -> Void = { _ in }
    ) throws {
        for name in try zones() {
            try other.backEnd.makeZone(name)
            let source = try backEnd.open(name)
            defer { source.close() }
            let target = try other.backEnd.open(name)
            defer { target.close() }
            let copier = ZoneCopier(
                source: source, target: target, recordBytes: ZoneLimits().recordBytes)
            let outcome = try copier.copy(
                replacing: isReplacing,
                beginning: beginningEpochs ? other.environment.newEpoch() : nil)
            switch outcome {
            case .whole: progress(ZoneCopy(zone: name, entries: nil))
            case .continued(let count): progress(ZoneCopy(zone: name, entries: count))
            case .unchanged: progress(ZoneCopy(zone: name, entries: 0))
            }
        }
        try other.tokens.add(tokens.stored())
    }

    /// Copies the rest of all zones to another store, after which no daemon serves this one.
    ///
    /// The zones continue their logs and epochs in the other store.
    ///
    /// - Throws: An error if a daemon serves this store.
    public func move(
        to other: ZoneStore, named location: StoreLocation,
        progress: (ZoneCopy) -> Void = { _ in }
    ) throws {
        try backEnd.lockForMoving()
        try copyZones(to: other, progress: progress)
        try backEnd.markMoved(to: "\(location)")
    }
}
