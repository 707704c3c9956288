/// Why a store can't do what it was asked, and what is left.
///
/// Unless a code says otherwise nothing was written: the file is as it was.
public struct StoreError: Error, Sendable {
    public let code: Code
    public let message: String
    /// Of the store file.
    public let path: String?
    public let entity: String?
    public let property: String?
    /// The records that are the cause, as local IDs.
    package let records: [LocalID]
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
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No file there, no rights, or its folder is missing: check the path.
        public static let cannotOpen = Code(rawValue: "cannot-open")
        /// Not SQLite, or not made by Anabranch: check the path.
        public static let notAStore = Code(rawValue: "not-a-store")
        /// The file is damaged: restore a backup, or recover it with SQLite's tools.
        public static let corrupt = Code(rawValue: "corrupt")
        /// Made by a later version: update this program.
        public static let newerFormat = Code(rawValue: "newer-format")
        /// The file has another model than the one given.
        public static let modelMismatch = Code(rawValue: "model-mismatch")
        public static let readOnly = Code(rawValue: "read-only")
        public static let diskFull = Code(rawValue: "disk-full")
        /// Another process writes: try again.
        public static let busy = Code(rawValue: "busy")
        /// Another process has upgraded the file: open it anew.
        public static let storeChanged = Code(rawValue: "store-changed")
        /// Records were changed elsewhere since they were read: refresh them, then save again.
        public static let mergeConflict = Code(rawValue: "merge-conflict")
        /// Another record holds the same unique key.
        public static let constraintConflict = Code(rawValue: "constraint-conflict")
        /// An acyclic reference leads round in a circle: set one of them to another record.
        public static let cyclicReference = Code(rawValue: "cyclic-reference")
        /// A value is not of its property's type, so no replica could take it: fix the caller.
        public static let invalidValue = Code(rawValue: "invalid-value")
        /// A write that its rule gives no chance: of a property whose first write stays, or of
        /// which the greatest or least of all does. Take the change back.
        public static let cannotWin = Code(rawValue: "cannot-win")
        /// A record has larger values than one may have, or the save more parts: save smaller
        /// values, or less at a time.
        public static let saveTooLarge = Code(rawValue: "save-too-large")
        /// A record is to hold more than a row of the file can: make one of its values smaller,
        /// then try again. Only saves that did not know of each other can do that together.
        public static let recordTooLarge = Code(rawValue: "record-too-large")
        /// The clock or a counter has reached its end: set the device's clock.
        public static let exhausted = Code(rawValue: "exhausted")
        /// A received change set breaks the rules: report its sender.
        public static let malformedChangeSet = Code(rawValue: "malformed-change-set")
        /// A received change set lacks its predecessor: pull again.
        public static let sequenceGap = Code(rawValue: "sequence-gap")
        /// A received change set continues another history than the one that is held.
        public static let forked = Code(rawValue: "forked")
        /// A page does not begin where the store's cursor is: another sync went on meanwhile.
        public static let cursorMoved = Code(rawValue: "cursor-moved")
        /// A page's entries do not give its cursor: pull again.
        public static let digestMismatch = Code(rawValue: "digest-mismatch")
        /// A bundle was cut or damaged on its way, or is none: have it written or sent again.
        public static let damagedBundle = Code(rawValue: "damaged-bundle")
        /// A bundle is sealed, and no key ring was given: give the one that has its key.
        public static let keyRequired = Code(rawValue: "key-required")
        /// A bundle is sealed with a key that the key ring lacks: ask those who have it for it.
        public static let keyMissing = Code(rawValue: "key-missing")
        /// A key ring was given for a bundle in plain text, which anybody may have written: ask
        /// for a sealed one, or read it without a key ring if you know where it is from.
        public static let notSealed = Code(rawValue: "not-sealed")
        /// Where a bundle was to be written is the store, or another file that is no bundle, and
        /// nothing is overwritten: choose another name.
        public static let alreadyExists = Code(rawValue: "already-exists")
        /// A bundle is written, whole and under its name, and a loss of power may still take that:
        /// write it again.
        public static let notDurable = Code(rawValue: "not-durable")
        /// The store holds nothing by that name.
        public static let notHeld = Code(rawValue: "not-held")
        /// An earlier state of the store is not kept any more: pin the context again.
        public static let generationExpired = Code(rawValue: "generation-expired")
        /// SQLite reports something else.
        public static let database = Code(rawValue: "database")
        /// The store was closed.
        public static let closed = Code(rawValue: "closed")
    }
}

extension StoreError {
    /// What SQLite's check of a file has found.
    package init(damaged path: String, _ count: Int, _ first: String) {
        self.init(
            .corrupt,
            "Can't trust \(path) because the file is damaged in \(count) places, of which the "
                + "first is: \(first). Restore a backup, or begin with a new store, which the zone "
                + "fills.", path: path)
    }
}

extension StoreError: CustomStringConvertible {
    public var description: String { "\(message) (\(code.rawValue))" }
}
