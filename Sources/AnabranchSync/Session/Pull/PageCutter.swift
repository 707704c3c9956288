internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

extension Exchange {
    /// Decodes the entries of a response and divides them into transactions.
    ///
    /// The running digest over the received entries must be that of the response's cursor. So no
    /// entry is missing, doubled or out of order.
    func checkedPages(of response: PullResponse) throws(ProtocolError) -> [RemotePage] {
        let cursor = state.cursor
        guard isExpected(response.cursor.epoch) else {
            throw ProtocolError(
                .unknownEpoch, "Can't apply the page because it is of another epoch. Say hello.")
        }
        let start = cursor.map { $0.inEpoch(response.cursor.epoch) }
        let isAtHead = response.headPosition == response.cursor.position
        guard response.headPosition >= response.cursor.position,
            isAtHead || !response.changeSets.isEmpty
        else {
            throw ProtocolError(
                .malformedRequest, "Can't apply the page because it is not part of the log.")
        }
        var cutter = PageCutter(
            after: cursor, as: start ?? LogCursor(startOf: response.cursor.epoch),
            transactionBytes: limits.transactionBytes)
        for bytes in response.changeSets {
            cutter.append(try decoded(bytes), byteCount: bytes.count)
        }
        guard cutter.cursor == response.cursor || !Mechanism.cursorDigest.isOn else {
            throw ProtocolError(
                .malformedRequest,
                "Can't apply the page because its cursor does not match its entries.")
        }
        return cutter.pages(
            endingAt: response.cursor, keepingEmpty: cursor?.epoch != response.cursor.epoch)
    }

    /// Indicates whether the epoch is the one that hello named. It may continue that of the cursor.
    private func isExpected(_ epoch: EpochID) -> Bool {
        zone.map { $0.epoch == epoch } ?? (state.cursor?.epoch == epoch)
    }

    private func decoded(_ bytes: [UInt8]) throws(ProtocolError) -> ChangeSet {
        do throws(ChangeSetDecodingError) {
            return try ChangeSet(decoding: bytes, checkingDigest: Mechanism.digestCheck.isOn)
        } catch {
            throw ProtocolError(
                error.code == .unsupportedVersion ? .unsupportedVersion : .invalidChangeSet,
                "Can't read a pulled change set because \(error.cause) at offset "
                    + "\(error.offset).")
        }
    }
}

/// Divides the entries of one response into pages of one transaction each.
private struct PageCutter {
    private(set) var cursor: LogCursor
    private let transactionBytes: Int
    private var finished: [RemotePage] = []
    private var changeSets: [ChangeSet] = []
    private var byteCount = 0
    private var start: LogCursor

    /// Creates the cutter for one response.
    ///
    /// - Parameters:
    ///   - held: The store's cursor, possibly of an earlier epoch, or `nil` before the first pull.
    ///   - start: The same position in the response's epoch.
    init(after held: LogCursor?, as start: LogCursor, transactionBytes: Int) {
        self.start = held ?? start
        self.transactionBytes = transactionBytes
        cursor = start
    }

    mutating func append(_ changeSet: ChangeSet, byteCount added: Int) {
        if byteCount + added > transactionBytes { cut() }
        changeSets.append(changeSet)
        byteCount += added
        cursor = cursor.advanced(over: changeSet)
    }

    private mutating func cut() {
        guard !changeSets.isEmpty else { return }
        finished.append(RemotePage(changeSets: changeSets, after: start, cursor: cursor))
        changeSets = []
        byteCount = 0
        start = cursor
    }

    /// Ends the division, and returns the pages in the order of the log.
    ///
    /// - Parameters:
    ///   - end: The cursor of the response, which becomes the cursor of the last page.
    ///   - isEmptyKept: Whether a response without entries gives one empty page, because its
    ///     cursor must be stored.
    consuming func pages(endingAt end: LogCursor, keepingEmpty isEmptyKept: Bool) -> [RemotePage] {
        if !changeSets.isEmpty || (isEmptyKept && finished.isEmpty) {
            finished.append(RemotePage(changeSets: changeSets, after: start, cursor: end))
        }
        return finished
    }
}
