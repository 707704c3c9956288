package import AnabranchReplication

// Numbers are looked up in blocks, because their neighbours are asked for next. The cache may be
// emptied while a block is read.
extension ZoneReading {
    package func replica(at ordinal: Int64) throws -> ReplicaID {
        if let replica = names.replicas[ordinal] { return replica }
        var found: ReplicaID?
        try forEachRow(of: .replica, in: block(around: ordinal)) { row in
            let (replica, number) = (try row.replica(at: 1), try row.ordinal(at: 0))
            names.insert(replica, ordinal: number)
            if number == ordinal { found = replica }
        }
        guard let found else { throw damaged("replica \(ordinal) is missing") }
        return found
    }

    func entityName(_ number: Int64) throws -> WireName {
        if let name = names.entityNames[number] { return name }
        var found: WireName?
        try forEachRow(of: .entity, in: block(around: number)) { row in
            let (name, place) = (row.name(at: 1), try row.number(at: 0))
            names.insert(name, entity: place)
            if place == number { found = name }
        }
        guard let found else { throw damaged("entity \(number) is missing") }
        return found
    }

    package func property(at number: Int64) throws -> WireProperty {
        if let property = names.properties[number] { return property }
        var found: WireProperty?
        try forEachRow(of: .property, in: block(around: number)) { row in
            let (property, place) = (row.property(), try row.number(at: 0))
            names.insert(property, number: place)
            if place == number { found = property }
        }
        guard let found else { throw damaged("property \(number) is missing") }
        return found
    }

    private func block(around number: Int64) -> ClosedRange<Int64> {
        let start = number - number % namesTogether
        let (end, isBeyond) = start.addingReportingOverflow(namesTogether - 1)
        return start...(isBeyond ? .max : end)
    }

    /// The ordinal of a replica; `nil` if the zone does not know the replica.
    func knownOrdinal(of replica: ReplicaID) throws -> Int64? {
        if let ordinal = names.ordinals[replica] { return ordinal }
        guard let ordinal = try replicaRow(of: replica)?.ordinal else { return nil }
        names.insert(replica, ordinal: ordinal)
        return ordinal
    }

    /// The last change set that is held of a replica; `nil` if there is none.
    func head(of replica: ReplicaID) throws -> ReplicaHead? {
        try replicaRow(of: replica)?.head
    }

    func id(of key: RecordKey) throws -> RecordID {
        RecordID(replica: try replica(at: key.ordinal), number: key.number)
    }
}
