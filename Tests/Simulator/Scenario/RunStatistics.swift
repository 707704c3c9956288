import Synchronization

/// Counts of the events in runs. They show that a green result does not come from runs without
/// events.
package struct RunStatistics: Sendable {
    package enum Event: String, CaseIterable, Sendable {
        case save, heldEdit, exchange, copy, backup, restore, clockJump
        case upgrade, versionSkipped, downgrade, upgradeRefused
        case crashInSave, powerLossInSave, crashInSync, powerLossInSync, crashInOpening, reopening
        case saveLostToPower, cutOff, zoneCrash, zonePowerLoss, zoneRestart, zoneMove
        case zoneBackup, zoneRestore, entryLostByZone
        case fork, restamp, rejection
        case saveInParts, pieceSent, pieceFetched
        case conflict
        case saveRefused, mergedDuplicate, hiddenReference, deferredCell, deferredRecord
        case compaction, snapshotLoaded, finalDelete, entryTrimmed
        case bundleWritten, bundleTaken, setWaited, crashWithBundle, bundleRefused
        case saveByOtherProcess, randomnessFailed
        case daemonCrash, daemonRestart, databaseRestart, failover, standby, lossyFailover
        case connectionLost, commitAnswerLost, statementRefused, concurrentRequest, newsLost
    }

    private(set) var counts: [Event: Int] = [:]

    mutating func count(_ event: Event, count: Int = 1) { counts[event, default: 0] += count }

    mutating func add(_ other: RunStatistics) {
        counts.merge(other.counts) { $0 + $1 }
    }

    /// Events that happen in so few worlds that hundreds of seeds may lack them.
    private static let rare: Set<Event> = [.finalDelete]

    package var missing: [Event] {
        Event.allCases.filter { (counts[$0] ?? 0) == 0 && !Self.rare.contains($0) }
    }
}

extension RunStatistics: CustomStringConvertible {
    package var description: String {
        Event.allCases.map { "\($0.rawValue) \(counts[$0] ?? 0)" }.joined(separator: ", ")
    }
}
