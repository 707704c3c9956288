import AnabranchProtocol
import AnabranchReplication

extension StoredColumns {
    /// Reads the columns key, entity, timestamp, author, cells, seen and dead.
    func stateRow() throws -> StateRow {
        StateRow(
            key: RecordKey(rawValue: int64(at: 0)), entity: try number(at: 1),
            timestamp: try unsigned(at: 2), author: try ordinal(at: 3), cells: bytes(at: 4),
            seen: isNull(at: 5) ? nil : bytes(at: 5), isDead: int64(at: 6) != 0)
    }

    /// Reads the columns position, replica, sequence, timestamp, origin, digest and kind.
    ///
    /// - Parameter replica: Returns the replica of an ordinal.
    func place(replica: (Int64) throws -> ReplicaID) throws -> ZoneLogLocation {
        let position = try unsigned(at: 0)
        guard position > 0 else {
            throw StorageError(
                .damaged, "Can't read a zone because an entry of its log has the position 0.")
        }
        return ZoneLogLocation(
            position: position,
            kind: LogEntryKind(rawValue: UInt8(truncatingIfNeeded: int64(at: 6))),
            dot: Dot(replica: try replica(int64(at: 1)), sequence: try unsigned(at: 2)),
            timestamp: HybridTimestamp(rawValue: try unsigned(at: 3)),
            origin: try digest(at: 4), digest: try digest(at: 5))
    }

    /// Reads the columns position and running.
    func cursor(epoch: EpochID, at column: Int = 0) throws -> LogCursor {
        LogCursor(
            epoch: epoch, position: try unsigned(at: column), running: try replica(at: column + 1))
    }

    /// Reads the columns epoch, position, running, digest, chunks and bytes.
    func manifest() throws -> SnapshotManifest {
        SnapshotManifest(
            name: SnapshotName(
                cursor: try cursor(epoch: replica(at: 0), at: 1), digest: try digest(at: 3)),
            chunkCount: try unsigned(at: 4), byteCount: try unsigned(at: 5))
    }

    /// Reads the columns bytes and digest of a chunk; `nil` if it is damaged.
    func chunk() throws -> [UInt8]? {
        let bytes = bytes(at: 0)
        return Digest(of: bytes) == (try digest(at: 1)) ? bytes : nil
    }

    /// Reads the columns position and seen.
    func acknowledgement(at column: Int) throws -> Acknowledgement {
        Acknowledgement(position: try unsigned(at: column), seen: try amount(at: column + 1))
    }

    /// Reads the number of staged parts and the sum of their bytes.
    func staged() throws -> StagedParts {
        StagedParts(
            count: Int(clamping: try amount(at: 0)), byteCount: Int(clamping: try amount(at: 1)))
    }

    /// Reads the columns start and bytes of a piece, from an offset in the part on.
    func piece(from start: Int) throws -> [UInt8] {
        let offset = start - Int(clamping: try unsigned(at: 0))
        return Array(bytes(at: 1).dropFirst(max(offset, 0)))
    }

    /// Reads the bytes of the values, the number of links, and the bytes of tags and names.
    func imageSize(at column: Int = 0) -> ImageSize {
        ImageSize(
            valueBytes: Int(int64(at: column)), linkCount: Int(int64(at: column + 1)),
            tagBytes: Int(int64(at: column + 2)), nameBytes: Int(int64(at: column + 3)))
    }

    /// Reads the columns left, property and right.
    func linkKey() -> LinkKey {
        LinkKey(
            left: RecordKey(rawValue: int64(at: 0)), property: int64(at: 1),
            right: RecordKey(rawValue: int64(at: 2)))
    }

    /// Reads the columns position, kind, replica, sequence, timestamp, origin, digest, running and
    /// change_set.
    func logRow() throws -> LogRow {
        LogRow(
            position: try unsigned(at: 0),
            kind: LogEntryKind(rawValue: UInt8(truncatingIfNeeded: int64(at: 1))),
            author: try ordinal(at: 2), sequence: try unsigned(at: 3),
            timestamp: try unsigned(at: 4),
            origin: try digest(at: 5), digest: try digest(at: 6), running: try replica(at: 7),
            changeSet: bytes(at: 8))
    }

    /// Reads the columns ordinal, id, sequence and origin.
    func replicaRow() throws -> ReplicaRow {
        let sequence = try unsigned(at: 2)
        return ReplicaRow(
            ordinal: try ordinal(at: 0), id: try replica(at: 1),
            head: sequence == 0
                ? nil : ReplicaHead(sequence: sequence, origin: try digest(at: 3)))
    }

    /// Reads the four columns of quotas.
    func quotas(from column: Int) -> ZoneQuotas {
        var quotas = ZoneQuotas()
        for (index, quantity) in ZoneQuotas.Quantity.allCases.enumerated() {
            let column = column + index
            quotas[quantity] = ZoneQuotas.Limit(
                stored: isNull(at: column) ? nil : int64(at: column))
        }
        return quotas
    }

    /// A name of an entity or a property.
    func name(at column: Int) -> WireName {
        WireName(String(decoding: bytes(at: column), as: UTF8.self))
    }

    /// Reads the columns number, name, type and rule.
    func property() -> WireProperty {
        WireProperty(
            name: name(at: 1), type: WireType(rawValue: UInt8(truncatingIfNeeded: int64(at: 2))),
            rule: MergeRule(rawValue: UInt8(truncatingIfNeeded: int64(at: 3))))
    }

    /// Reads the columns digest and size.
    func part() throws -> SavePart {
        SavePart(digest: try digest(at: 0), byteCount: Int(clamping: try unsigned(at: 1)))
    }
}
