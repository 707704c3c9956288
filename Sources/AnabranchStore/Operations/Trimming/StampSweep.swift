import AnabranchReplication
import AnabranchSQLite

/// Finds the stamps of removed saves that nothing names any more, and removes them.
///
/// A removed save leaves its stamp, because rows name the saves that wrote them. As rows are
/// written again and deleted, more and more stamps are named by nothing.
///
/// The file is read in one transaction, and the stamps are removed in short ones later. What was
/// unnamed stays so, unless a transaction in between finds the stamp by its time; then the sweep
/// ends. New rows name new positions, and copies of rows name what the originals name.
struct StampSweep {
    private(set) var candidates: Candidates
    let added: Int64
    let found: Int64

    /// The number of stamps that one sweep looks at, with nine bytes of memory for each.
    static let limit = 1 << 20

    /// Finds the stamps that nothing names.
    ///
    /// - Parameter first: The position after which the sweep begins.
    init(_ reader: StoreReader, after first: Int64 = 0, limit: Int = limit) throws {
        let counters = StampCounters(connection: reader.connection)
        added = try counters.added()
        found = try counters.found()
        candidates = try Candidates(reader.connection, after: first, limit: limit)
        guard !candidates.isEmpty else { return }
        try keepLatest(reader)
        for table in reader.schema.tables { try keepNamed(in: table, reader) }
        for links in reader.schema.linkLayouts { try keepNamed(in: links, reader) }
        try keepDeferred(reader)
        try keepUnsynced(reader)
    }

    /// The last stamp that the sweep has looked at; `nil` if there is none after it.
    var last: Int64? { candidates.last }

    // MARK: - What names a stamp

    /// Keeps the latest stamp of each replica: new times for saves come after it.
    private mutating func keepLatest(_ reader: StoreReader) throws {
        let statement = try reader.connection.prepare(
            "SELECT position FROM ab_stamp WHERE replica = ? ORDER BY hlc DESC LIMIT 1")
        for ordinal in 0..<(try reader.replicas()).count {
            try statement.bind(ordinal, at: 1)
            while try statement.step() { candidates.keep(statement.int64(at: 0)) }
        }
    }

    private mutating func keepNamed(in table: TableLayout, _ reader: StoreReader) throws {
        let statement = try reader.connection.prepare(
            "SELECT ab_version, ab_writes FROM \(table.name)")
        while try statement.step() {
            candidates.keep(statement.int64(at: 0))
            guard !statement.isNull(at: 1) else { continue }
            for position in try statement.writes(at: 0, AddedProperties()).positions {
                candidates.keep(position)
            }
        }
    }

    // A link has its tags, not positions. The conflict journal looks up their authors.
    private mutating func keepNamed(in links: LinkLayout, _ reader: StoreReader) throws {
        let stamps = LogStamps(reader.connection)
        let statement = try reader.connection.prepare(
            "SELECT \(links.tagColumns) FROM \(links.name) WHERE tag IS NOT NULL")
        while try statement.step() {
            for tag in try LinkRows.tags(of: statement, at: 0, isList: links.isList) {
                try keep(tag.stamp, stamps)
            }
        }
    }

    private mutating func keepDeferred(_ reader: StoreReader) throws {
        let stamps = LogStamps(reader.connection)
        let cells = try reader.connection.prepare("SELECT hlc, by FROM ab_deferred_cell")
        while try cells.step() { try keep(cells.localStamp(at: 0), stamps) }
        let links = try reader.connection.prepare(
            "SELECT name, type, rule, tag, tag_by, more FROM ab_deferred_link")
        while try links.step() {
            let property = DeferredRows.property(links)
            for tag in try DeferredRows.tags(of: links, at: 3, property) {
                try keep(tag.stamp, stamps)
            }
        }
    }

    private mutating func keepUnsynced(_ reader: StoreReader) throws {
        let statement = try reader.connection.prepare("SELECT position FROM ab_unsynced")
        while try statement.step() { candidates.keep(statement.int64(at: 0)) }
    }

    private mutating func keep(_ stamp: LocalStamp, _ stamps: LogStamps) throws {
        if let position = try stamps.position(of: stamp) { candidates.keep(position) }
    }
}

extension StampSweep {
    /// Positions of stamps, and those among them that are named.
    struct Candidates {
        /// In ascending order.
        private let positions: [Int64]
        private var isNamed: [Bool]

        /// Consecutive positions, and those among them that nothing names, in ascending order.
        struct Slice {
            let range: ClosedRange<Int64>
            let unnamed: [Int64]
        }

        /// Reads the positions of stamps. The first save of each replica is left out, because the
        /// causal contexts of bundles need its place.
        init(_ connection: Connection, after first: Int64, limit: Int) throws {
            let statement = try connection.prepare(
                """
                SELECT position FROM ab_stamp WHERE position > ? AND seq IS NOT 1
                ORDER BY position LIMIT ?
                """)
            try statement.bind(first, Int64(limit))
            var positions: [Int64] = []
            while try statement.step() { positions.append(statement.int64(at: 0)) }
            self.positions = positions
            isNamed = [Bool](repeating: false, count: positions.count)
        }

        var isEmpty: Bool { positions.isEmpty }
        var last: Int64? { positions.last }

        mutating func keep(_ position: Int64) {
            let index = positions.partitioningIndex { $0 >= position }
            if index < positions.count, positions[index] == position { isNamed[index] = true }
        }

        /// The positions in slices of `count`, without slices in which every stamp is named. Each
        /// slice is made when it is asked for.
        func slices(of count: Int) -> some Sequence<Slice> {
            stride(from: 0, to: positions.count, by: count).lazy.compactMap { start in
                let indices = start..<min(start + count, positions.count)
                let unnamed = indices.filter { !isNamed[$0] }.map { positions[$0] }
                guard !unnamed.isEmpty else { return nil }
                return Slice(
                    range: positions[start]...positions[indices.upperBound - 1], unnamed: unnamed)
            }
        }
    }
}
