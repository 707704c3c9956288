package import AnabranchReplication

/// Random change sets of every form. They are well formed but have no meaning: they test codecs,
/// not merges.
extension SeededGenerator {
    /// Returns a property with a random type and merge rule.
    package mutating func wireProperty() -> WireProperty {
        // The types 15 and 40 and the rules 9, 10 and 200 are those of later versions.
        let types: [UInt8] = Array(0...13) + [15, 40]
        let rules: [UInt8] = [1, 1, 1, 2, 3, 4, 5, 9, 10, 200]
        return WireProperty(
            name: WireName(text() + "p"), type: WireType(rawValue: element(of: types)),
            rule: MergeRule(rawValue: element(of: rules)))
    }

    /// Returns a payload of random operations.
    package mutating func payload(author: ReplicaID) -> ChangePayload {
        let replicas = [author] + (0..<3).map { _ in replica() }
        let count = Int.random(in: 0...6, using: &self)
        return ChangePayload(blocks: (0..<count).map { _ in block(author, replicas) })
    }

    private mutating func block(_ author: ReplicaID, _ replicas: [ReplicaID]) -> ChangeBlock {
        switch Int.random(in: 0..<10, using: &self) {
        case 0: return .insert(rows(of: [author], replicas) { _ in true })
        case 1:
            return .update(
                rows(of: replicas, replicas) {
                    !$0.isMergeable || ![.counter, .keepBoth].contains($0.rule)
                })
        case 2:
            let count = Int.random(in: 0...9, using: &self)
            let records = (0..<count).map { _ in record(of: replicas) }
            return .delete(RecordBlock(entity: WireName(text()), records: records))
        case 3: return .link(links(replicas, withTags: false))
        case 4: return .unlink(links(replicas, withTags: true))
        case 8: return .move(links(replicas, withTags: true, isMove: true))
        case 5: return .add(additions(replicas))
        case 6: return .write(siblings(replicas))
        case 7: return .yieldingDelete(yieldingDeletes(replicas))
        default:
            return .unknown(
                operation: UInt64.random(in: 10...300, using: &self),
                bytes: bytes(count: Int.random(in: 0...9, using: &self)))
        }
    }

    private mutating func rows(
        of owners: [ReplicaID], _ replicas: [ReplicaID], _ isWritten: (WireProperty) -> Bool
    ) -> RowBlock {
        let count = Int.random(in: 1...9, using: &self)
        let records = (0..<count).map { _ in record(of: owners) }
        let all = (0..<Int.random(in: 0...5, using: &self)).map { _ in wireProperty() }
        let properties = Set(all.filter(isWritten)).sorted()
        let columns = properties.map { property in
            ValueColumn(records.map { _ in value(of: property, replicas: replicas) })
        }
        return RowBlock(
            entity: WireName(text()), records: records, properties: properties, columns: columns)
    }

    private mutating func additions(_ replicas: [ReplicaID]) -> RowBlock {
        let records = (0..<Int.random(in: 1...5, using: &self)).map { _ in record(of: replicas) }
        let properties = [WireType.integer64, .decimal].map {
            WireProperty(name: WireName(text()), type: $0, rule: .counter)
        }
        return RowBlock(
            entity: WireName(text()), records: records, properties: properties,
            columns: properties.map { property in
                ValueColumn(records.map { _ in delta(of: property.type) })
            })
    }

    private mutating func siblings(_ replicas: [ReplicaID]) -> SiblingBlock {
        let type = WireType(rawValue: element(of: Array(1...13) + [40]))
        let property = WireProperty(name: WireName(text()), type: type, rule: .keepBoth)
        let writes = (0..<Int.random(in: 0...4, using: &self)).map { _ in
            SiblingBlock.Write(
                record: record(of: replicas), value: value(of: property, replicas: replicas),
                observedTags: stamps(replicas))
        }
        return SiblingBlock(entity: WireName(text()), property: property, writes: writes)
    }

    private mutating func yieldingDeletes(_ replicas: [ReplicaID]) -> YieldingDeleteBlock {
        let deletes = (0..<Int.random(in: 0...4, using: &self)).map { _ in
            YieldingDeleteBlock.Delete(
                record: record(of: replicas), stampsSeen: stamps(replicas))
        }
        return YieldingDeleteBlock(entity: WireName(text()), deletes: deletes)
    }

    private mutating func stamps(_ replicas: [ReplicaID]) -> [Stamp] {
        (0..<Int.random(in: 0...3, using: &self)).map { _ in stamp(of: replicas) }
    }

    private mutating func links(
        _ replicas: [ReplicaID], withTags: Bool, isMove: Bool = false
    ) -> LinkBlock {
        let rules: [MergeRule] = isMove ? [.list] : [.set, .list, MergeRule(rawValue: 200)]
        let property = WireProperty(name: WireName(text()), type: .links, rule: element(of: rules))
        let links = (0..<Int.random(in: 0...5, using: &self)).map { _ in
            LinkBlock.Link(
                left: record(of: replicas), right: record(of: replicas),
                observedTags: withTags ? stamps(replicas) : [],
                place: property.rule == .set ? .none : linkPlace())
        }
        return LinkBlock(entity: WireName(text()), property: property, links: links)
    }

    /// Returns the list positions of a link.
    package mutating func linkPlace() -> LinkPosition {
        LinkPosition(
            inLeft: oneIn(3) ? nil : listPosition(), inRight: oneIn(3) ? nil : listPosition())
    }

    /// Returns a position in a list.
    package mutating func listPosition() -> ListPosition {
        var maker = ListPositionGenerator(dot())
        var between: (ListPosition?, ListPosition?) = (nil, nil)
        for _ in 0..<Int.random(in: 0...4, using: &self) {
            let made = maker.position(between: between.0, and: between.1)
            if oneIn(2) { between.0 = made } else { between.1 = made }
        }
        return maker.position(between: between.0, and: between.1)
    }

    /// Returns a causal context.
    package mutating func causalContext() -> CausalContext {
        CausalContext(
            prefix: oneIn(2)
                ? nil : .init(epoch: replica(), position: number(upTo: Limits.greatestSequence)),
            beyond: (0..<Int.random(in: 0...5, using: &self)).map { _ in
                .init(dot: dot(), originPrefix: next())
            })
    }

    /// Returns a change set.
    package mutating func changeSet() -> ChangeSet {
        let dot = dot()
        let saved = ChangeSet(
            saving: payload(author: dot.replica).encoded(author: dot.replica), dot: dot,
            timestamp: timestamp(), author: text(), name: text(), previousOrigin: digest(),
            context: causalContext())
        return oneIn(4) ? renamed(saved) : saved
    }

    /// Returns the same save under another dot, as a rename or a restamp leaves it.
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

    /// Returns a cursor in a zone's log.
    package mutating func cursor() -> LogCursor {
        LogCursor(
            epoch: replica(), position: number(upTo: Limits.greatestSequence),
            digestHigh: next(), digestLow: next())
    }
}
