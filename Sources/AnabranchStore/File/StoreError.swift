public import AnabranchReplication

/// An error of a store operation.
///
/// Unless its code says otherwise, nothing was written: the file is unchanged.
public struct StoreError: Error, Sendable {
    /// The kind of error, which says what to do.
    public let code: Code
    /// The cause in words and, if a person can act, what to do.
    public let message: String
    /// The path of the store file, bundle or other file concerned; `nil` if there is none.
    public let path: String?
    /// The name of the entity concerned; `nil` if there is none.
    public let entity: String?
    /// The name of the property concerned; `nil` if there is none.
    public let property: String?
    /// The local IDs of the records that cause the error.
    package let records: [LocalID]
    /// The error that caused this one; `nil` if there is none.
    public let underlying: (any Error)?

    package init(
        _ code: Code, _ message: String, path: String? = nil, entity: String? = nil,
        property: String? = nil, records: [LocalID] = [], underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.entity = entity
        self.property = property
        self.records = records
        self.underlying = underlying
    }
}

extension StoreError {
    /// A kind of store error.
    public struct Code: Hashable, Sendable {
        /// The code's text, for example `cannot-open`.
        public let rawValue: String

        /// There is no file, no permission to open it, or no such folder. Check the path.
        public static let cannotOpen = Code(rawValue: "cannot-open")
        /// The file is not an SQLite database, or not one of Anabranch. Check the path.
        public static let notAStore = Code(rawValue: "not-a-store")
        /// The file is damaged. Restore a backup, or recover it with SQLite's tools.
        public static let corrupt = Code(rawValue: "corrupt")
        /// A later version created the file. Update this program.
        public static let newerFormat = Code(rawValue: "newer-format")
        /// The file's model has another version than the given one. Open it with a model of its
        /// version.
        public static let modelMismatch = Code(rawValue: "model-mismatch")
        /// No migration from the version of the file's model to that of the given one can be
        /// inferred. The message has each reason, and what to write in the model.
        public static let migrationNotInferred = Code(rawValue: "migration-not-inferred")
        /// The stages of a migration don't lead from the file's version to that of the given model.
        /// The underlying error is a `MigrationPlanError`: its code and message say what to do.
        public static let unusableStages = Code(rawValue: "unusable-stages")
        /// The code of a custom stage has failed with the underlying error. Nothing that it wrote
        /// was saved. Correct the cause and open the file again, which runs the stage again.
        public static let stageFailed = Code(rawValue: "stage-failed")
        /// The file waits for a custom stage of its migration: another program is running it, or
        /// was interrupted. Open the file with the app's model and stages, or try again later.
        public static let stagePending = Code(rawValue: "stage-pending")
        /// The caller cancelled the migration of a store. The store is unchanged, or as the last
        /// complete stage has left it.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The file was opened for reading, or cannot be written. Open it for writing, or check its
        /// permissions.
        public static let readOnly = Code(rawValue: "read-only")
        /// The disk is full. Free some space and try again.
        public static let diskFull = Code(rawValue: "disk-full")
        /// Another process is writing. Try again.
        public static let busy = Code(rawValue: "busy")
        /// Another process has upgraded, moved, deleted or replaced the file. Open it again.
        package static let storeChanged = Code(rawValue: "store-changed")
        /// The history after this position was removed by the store's retention rule. Read the
        /// objects anew, and follow the history from its present position.
        public static let historyExpired = Code(rawValue: "history-expired")
        /// Another context or replica has changed records since they were read. Refresh them, then
        /// save again.
        public static let mergeConflict = Code(rawValue: "merge-conflict")
        /// Another record holds the same unique key. Change the key, or update that record.
        public static let constraintConflict = Code(rawValue: "constraint-conflict")
        /// An acyclic reference forms a cycle. Set one of the references to another record.
        package static let cyclicReference = Code(rawValue: "cyclic-reference")
        /// A value does not have its property's type, so no replica could store it. Fix the calling
        /// code.
        package static let invalidValue = Code(rawValue: "invalid-value")
        /// The property's merge rule lets this write lose: the property already has its first
        /// write, or a greater or lesser value wins. Revert the change.
        public static let cannotWin = Code(rawValue: "cannot-win")
        /// A record has larger values than allowed, or the save has more parts than allowed. Save
        /// smaller values, or fewer at a time.
        public static let saveTooLarge = Code(rawValue: "save-too-large")
        /// A record would hold more than a row of the file can. Make one of its values smaller,
        /// then try again. Only concurrent saves can cause this together.
        public static let recordTooLarge = Code(rawValue: "record-too-large")
        /// The clock or a counter has reached its limit. Check the device's clock.
        package static let exhausted = Code(rawValue: "exhausted")
        /// A received change set violates the protocol. Report it to its sender.
        package static let malformedChangeSet = Code(rawValue: "malformed-change-set")
        /// A received timestamp is further ahead of the clock than the limit, and would move this
        /// store's clock ahead, too. Set the clock that is wrong. Change sets of a clock that was
        /// ahead are restamped when their store syncs with a zone.
        public static let clockSkew = Code(rawValue: "clock-skew")
        /// The system gave no randomness for an identity, and without it two files could get the
        /// same one. Try again; if that does not help, check the system.
        package static let noRandomness = Code(rawValue: "no-randomness")
        /// A received change set lacks its predecessor, or too many of a bundle lack what they
        /// follow. Pull again, or import the earlier bundles first.
        package static let sequenceGap = Code(rawValue: "sequence-gap")
        /// A received change set continues another history than the one held: two histories exist
        /// under one replica ID. Sync with the zone, which decides.
        public static let forked = Code(rawValue: "forked")
        /// The store's cursor is not at the expected position, because another sync has run
        /// meanwhile. Sync again.
        package static let cursorMoved = Code(rawValue: "cursor-moved")
        /// The received entries or parts do not have the expected digest. Pull again.
        package static let digestMismatch = Code(rawValue: "digest-mismatch")
        /// A bundle was truncated or damaged, or the file is no bundle. Export or transfer it
        /// again.
        public static let damagedBundle = Code(rawValue: "damaged-bundle")
        /// The bundle is sealed, but no key ring was given. Give the key ring that has its key.
        public static let keyRequired = Code(rawValue: "key-required")
        /// The bundle is sealed with a key that the key ring lacks. Get the key from another user
        /// of it.
        public static let keyMissing = Code(rawValue: "key-missing")
        /// A key ring was given, but the bundle is plain text, which any program could have
        /// written. Ask for a sealed bundle, or read it without a key ring if you know its source.
        public static let notSealed = Code(rawValue: "not-sealed")
        /// The path of a new bundle is the store, or another file that is no bundle, and such files
        /// are never overwritten. Choose another name.
        public static let alreadyExists = Code(rawValue: "already-exists")
        /// The bundle is complete and has its name, but a power failure may still remove it. Export
        /// it again.
        public static let notDurable = Code(rawValue: "not-durable")
        /// The store does not have the named record or entry.
        public static let notHeld = Code(rawValue: "not-held")
        /// An earlier state of the store is no longer available. Pin the context again.
        public static let generationExpired = Code(rawValue: "generation-expired")
        /// SQLite reports another error; the message has the details.
        public static let database = Code(rawValue: "database")
        /// The store was closed. Open it again.
        public static let closed = Code(rawValue: "closed")
    }
}

extension StoreError {
    /// The error for damage that SQLite's check of a file has found.
    package init(damaged path: String, _ count: Int, _ first: String) {
        self.init(
            .corrupt,
            "Can't trust \(path) because the file is damaged in \(count) places. The first is: "
                + "\(first). Restore a backup, or create a new store and sync it.", path: path)
    }
}

extension StoreError: CustomStringConvertible, DescribedError {
    /// The message, followed by the code in parentheses.
    public var description: String { "\(message) (\(code.rawValue))" }
}
