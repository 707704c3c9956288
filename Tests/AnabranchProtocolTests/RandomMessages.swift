import AnabranchProtocol
import AnabranchReplication
import TestSupport

extension SeededGenerator {
    mutating func wall() -> Int64 { Int64.random(in: -(1 << 53)...(1 << 53), using: &self) }
    mutating func quantity() -> UInt64 { number(upTo: Limits.greatestSequence) }

    private mutating func maybe<Part>(_ make: (inout Self) -> Part) -> Part? {
        oneIn(2) ? nil : make(&self)
    }

    private mutating func changeSets() -> [[UInt8]] {
        (0..<Int.random(in: 0...3, using: &self)).map { _ in changeSet().encoded() }
    }

    mutating func helloRequest() -> HelloRequest {
        HelloRequest(
            replica: replica(),
            last: maybe { .init(sequence: $0.sequence(), origin: $0.digest()) },
            cursor: maybe { $0.cursor() }, wallMilliseconds: wall())
    }

    mutating func helloResponse() -> HelloResponse {
        HelloResponse(
            epoch: replica(), earlierEpochs: (0..<2).map { _ in replica() },
            headPosition: quantity(), startPosition: quantity(), isSnapshotAdvised: oneIn(2),
            isCursorKnown: oneIn(2),
            lastSequence: quantity(), origin: maybe { $0.digest() }, wallMilliseconds: wall(),
            largestBody: quantity(),
            quotas: oneIn(2)
                ? [] : [QuotaUse(name: "records", limit: quantity(), used: quantity())])
    }

    mutating func pullRequest() -> PullRequest {
        PullRequest(cursor: maybe { $0.cursor() }, byteLimit: quantity())
    }

    mutating func pullResponse() -> PullResponse {
        PullResponse(
            cursor: cursor(), headPosition: quantity(), wallMilliseconds: wall(),
            changeSets: changeSets())
    }

    private mutating func snapshotName() -> SnapshotName {
        SnapshotName(cursor: cursor(), digest: digest())
    }

    mutating func snapshotRequest() -> SnapshotRequest {
        SnapshotRequest(snapshot: maybe { $0.snapshotName() }, number: quantity())
    }

    mutating func snapshotResponse() -> SnapshotResponse {
        SnapshotResponse(
            snapshot: snapshotName(), chunkCount: quantity(), headPosition: quantity(),
            wallMilliseconds: wall(), chunk: bytes(count: Int.random(in: 0...40, using: &self)))
    }

    mutating func recordID() -> RecordID { record(of: [replica()]) }

    private mutating func pieceBytes(_ counts: ClosedRange<Int>) -> [UInt8] {
        (0..<Int.random(in: counts, using: &self)).map { _ in .random(in: 0...255, using: &self) }
    }

    mutating func stageRequest() -> StageRequest {
        let part = SavePart(of: pieceBytes(1...200))
        let start = Int.random(in: 0...part.byteCount, using: &self)
        return StageRequest(
            part: part, start: UInt64(start), bytes: pieceBytes(0...(part.byteCount - start)))
    }

    mutating func stageResponse() -> StageResponse { StageResponse(heldBytes: quantity()) }

    mutating func partRequest() -> PartRequest {
        PartRequest(
            part: SavePart(of: pieceBytes(1...200)), start: quantity(), byteLimit: quantity())
    }

    mutating func partResponse() -> PartResponse { PartResponse(bytes: pieceBytes(0...200)) }

    mutating func checksumsRequest() -> ChecksumsRequest {
        ChecksumsRequest(
            epoch: replica(),
            ranges: (0..<Int.random(in: 0...3, using: &self)).map { _ in
                let bounds = [recordID(), recordID()].sorted()
                let range = RecordRange(
                    lower: maybe { _ in bounds[0] }, upper: maybe { _ in bounds[1] })
                return range.isEmpty ? .all : range
            })
    }

    mutating func checksumsResponse() -> ChecksumsResponse {
        ChecksumsResponse(
            position: quantity(), wallMilliseconds: wall(), checksum: checksum(),
            summaries: (0..<Int.random(in: 0...3, using: &self)).map { _ in summary() })
    }

    private mutating func checksum() -> StateChecksum {
        StateChecksum(ofRow: bytes(count: 8))
    }

    private mutating func summary() -> RangeSummary {
        let count = Int.random(in: 0...3, using: &self)
        if oneIn(2) {
            return .records(
                (0..<count).map { _ in .init(record: recordID(), checksum: checksum()) })
        }
        return .parts(
            (0..<count).map { _ in
                .init(upper: maybe { $0.recordID() }, checksum: checksum())
            })
    }

    mutating func repairRequest() -> RepairRequest {
        RepairRequest(epoch: replica(), records: (0..<4).map { _ in record(of: [replica()]) })
    }

    mutating func repairResponse() -> RepairResponse {
        RepairResponse(
            position: quantity(), wallMilliseconds: wall(),
            images: (0..<Int.random(in: 0...3, using: &self)).map { _ in image() })
    }

    private mutating func image() -> RecordImage {
        let replicas = [replica(), replica()]
        let id = record(of: replicas)
        guard !oneIn(3) else { return RecordImage(id: id) }
        var canonical = CanonicalRecord(id: id, entity: WireName(text()))
        for _ in 0..<Int.random(in: 0...3, using: &self) {
            let property = wireProperty()
            let value = value(of: property.type, replicas: replicas)
            // Every NaN is encoded in one way, so different bytes may mean the same.
            canonical.cells.append(
                .init(
                    property: property, value: value.hasNaN ? .null : value,
                    stamp: stamp(of: replicas)))
        }
        canonical.cells.sort { ($0.property, $0.stamp) < ($1.property, $1.stamp) }
        return RecordImage(
            id: id, record: canonical,
            incoming: (0..<Int.random(in: 0...2, using: &self)).map { _ in
                .init(
                    left: record(of: replicas), property: wireProperty(),
                    tags: LinkTags((0..<3).map { _ in stamp(of: replicas) }))
            })
    }

    mutating func pushRequest() -> PushRequest {
        PushRequest(epoch: replica(), changeSets: changeSets())
    }

    mutating func pushResponse() -> PushResponse {
        let sent = (0..<Int.random(in: 0...6, using: &self)).map { _ in
            PushResponse.SentForm(changeSet())
        }
        let acknowledgements = sent.map { form in
            var acknowledgement = PushResponse.Acknowledgement(
                position: quantity(), dot: form.dot, timestamp: form.timestamp,
                digest: form.digest)
            if let other = maybe({ $0.dot() }) {
                acknowledgement.dot = other
                acknowledgement.originPrefix = next()
                acknowledgement.rejection = maybe { generator in
                    SaveRejection(.init(rawValue: generator.text()), generator.text())
                }
            }
            return acknowledgement
        }
        return PushResponse(
            acknowledging: acknowledgements, of: sent,
            refusal: maybe { generator in
                ProtocolError(
                    .forked, generator.text(),
                    details: ["replica": generator.replica().description, "é": generator.text()])
            },
            headPosition: quantity(), wallMilliseconds: wall())
    }
}

extension PropertyValue {
    fileprivate var hasNaN: Bool {
        switch self {
        case .double(let number), .date(let number): number.isNaN
        case .group(let group): group.members.contains { $0.value.hasNaN }
        default: false
        }
    }
}
