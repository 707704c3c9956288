public import AnabranchReplication

/// Change sets of every form, well formed but without sense: for codecs, not for merging.
extension SeededGenerator {
    public mutating func wireProperty() -> WireProperty {
        // 0 and 40 stand for types and rules of later versions.
        let types: [UInt8] = Array(0...13) + [40]
        return WireProperty(
            name: WireName(text() + "p"), type: WireType(rawValue: element(of: types)),
            rule: MergeRule(rawValue: element(of: [1, 1, 1, 5, 200])))
    }

    public mutating func payload(author: ReplicaID) -> ChangePayload {
        let replicas = [author] + (0..<3).map { _ in replica() }
        let count = Int.random(in: 0...6, using: &self)
        return ChangePayload(blocks: (0..<count).map { _ in block(author, replicas) })
    }

    private mutating func block(_ author: ReplicaID, _ replicas: [ReplicaID]) -> ChangeBlock {
        switch Int.random(in: 0..<6, using: &self) {
        case 0: return .insert(rows(insertedBy: author, replicas))
        case 1: return .update(rows(insertedBy: nil, replicas))
        case 2:
            let count = Int.random(in: 0...9, using: &self)
            let records = (0..<count).map { _ in record(of: replicas) }
            return .delete(RecordBlock(entity: WireName(text()), records: records))
        case 3: return .link(links(replicas, withTags: false))
        case 4: return .unlink(links(replicas, withTags: true))
        default:
            return .unknown(
                operation: UInt64.random(in: 6...300, using: &self),
                bytes: bytes(count: Int.random(in: 0...9, using: &self)))
        }
    }

    private mutating func rows(
        insertedBy author: ReplicaID?, _ replicas: [ReplicaID]
    ) -> RowBlock {
        let count = Int.random(in: 1...9, using: &self)
        let records = (0..<count).map { _ in record(of: author.map { [$0] } ?? replicas) }
        let all = (0..<Int.random(in: 0...5, using: &self)).map { _ in wireProperty() }
        let properties = Set(all).sorted()
        let columns = properties.map { property in
            records.map { _ in value(of: property.type, replicas: replicas) }
        }
        return RowBlock(
            entity: WireName(text()), records: records, properties: properties, columns: columns)
    }

    private mutating func links(_ replicas: [ReplicaID], withTags: Bool) -> LinkBlock {
        let links = (0..<Int.random(in: 0...5, using: &self)).map { _ in
            let tags = withTags ? Int.random(in: 0...3, using: &self) : 0
            return LinkBlock.Link(
                left: record(of: replicas), right: record(of: replicas),
                tagsSeen: (0..<tags).map { _ in stamp(of: replicas) })
        }
        let property = WireProperty(name: WireName(text()), type: .links, rule: .set)
        return LinkBlock(entity: WireName(text()), property: property, links: links)
    }

    public mutating func causalContext() -> CausalContext {
        CausalContext(
            prefix: oneIn(2)
                ? nil : .init(epoch: replica(), position: number(upTo: Limits.greatestSequence)),
            beyond: (0..<Int.random(in: 0...5, using: &self)).map { _ in
                .init(dot: dot(), originPrefix: next())
            })
    }

    public mutating func changeSet() -> ChangeSet {
        let dot = dot()
        let saved = ChangeSet(
            saving: payload(author: dot.replica).encoded(author: dot.replica), dot: dot,
            timestamp: timestamp(), author: text(), name: text(), previousOrigin: digest(),
            context: causalContext())
        return oneIn(4) ? renamed(saved) : saved
    }

    /// The same save under another dot, as a renaming or a restamping leaves it.
    private mutating func renamed(_ saved: ChangeSet) -> ChangeSet {
        func form(digest: Digest, dot: Dot, timestamp: HybridTimestamp) -> ChangeSet {
            ChangeSet(
                fromLog: .save, dot: dot, timestamp: timestamp, author: saved.author,
                name: saved.name, payload: saved.payload, rewrittenFrom: saved.dot,
                previousOrigin: saved.previousOrigin, origin: saved.origin, digest: digest,
                context: saved.context)
        }
        let (dot, timestamp) = (dot(), timestamp())
        let digest = form(digest: .zero, dot: dot, timestamp: timestamp).computedDigest()
        return form(digest: digest, dot: dot, timestamp: timestamp)
    }

    public mutating func cursor() -> LogCursor {
        LogCursor(
            epoch: replica(), position: number(upTo: Limits.greatestSequence),
            digestHigh: next(), digestLow: next())
    }
}
