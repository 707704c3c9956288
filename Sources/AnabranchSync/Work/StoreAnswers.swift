package import AnabranchReplication
package import AnabranchStore

/// The answer of a store that was to change its contents.
package enum ContentAnswer: Sendable {
    /// The new state of the store.
    case applied(SyncState)
    /// The state of a store that another process has moved on. Nothing was changed.
    case cursorMoved(SyncState)
}

/// The answer of a store that was to apply a page.
package enum PageAnswer: Sendable {
    /// The new state of the store.
    case applied(SyncState)
    /// The state of a store that has its cursor elsewhere than at the page's beginning. Nothing was
    /// applied.
    case cursorMoved(SyncState)
    /// The first missing part of a save. Nothing was applied.
    case lacking(LackingPart)
}

/// The first unpushed change sets of a store, and its state.
package struct PendingAnswer: Sendable {
    package var sets: [StoredLogEntry]
    package var state: SyncState
}

/// The state of a store after its cursor was moved back.
package struct RewindAnswer: Sendable {
    package var state: SyncState
    /// The path of the copy of the file that was kept; `nil` if none was needed.
    package var keptCopy: String?
}

/// The answer of a store that was to compare its state with the zone's.
package enum ComparisonAnswer: Sendable {
    /// The differences between the ranges.
    case compared(StateComparison)
    /// The state of a store that does not hold exactly the log up to the position.
    case cursorMoved(SyncState)
}

/// A range, and the summary of the zone's records in it.
package struct ComparedRange: Hashable, Sendable {
    package var range: RecordRange
    package var summary: RangeSummary
}

extension ContentAnswer {
    /// The state of the store, changed or not.
    var state: SyncState {
        switch self {
        case .applied(let state), .cursorMoved(let state): state
        }
    }
}
