package import AnabranchReplication

extension ZoneDraft {
    func replicaRow(of replica: ReplicaID) throws -> ReplicaRow? {
        if let known = replicas[replica] { return known.row }
        let row = try stored.replicaRow(of: replica)
        replicas.take(row, of: replica)
        return row
    }

    /// The ordinal of a replica, assigned if it is new.
    ///
    /// - Throws: ``StorageError`` `tooManyReplicas` if row keys have no room for another.
    package func ordinal(of replica: ReplicaID) throws -> Int64 {
        if let ordinal = names.ordinals[replica] { return ordinal }
        if let ordinal = try replicaRow(of: replica)?.ordinal {
            names.insert(replica, ordinal: ordinal)
            return ordinal
        }
        let ordinal = row.next.replica
        guard ordinal <= greatestOrdinal else {
            throw StorageError(
                .tooManyReplicas,
                "Can't accept a change of replica \(replica) because the zone has "
                    + "\(ordinal) replicas already.")
        }
        row.next.replica += 1
        names.insert(replica, ordinal: ordinal)
        replicas.put(ReplicaRow(ordinal: ordinal, id: replica, head: nil), at: replica)
        return ordinal
    }

    package func replica(at ordinal: Int64) throws -> ReplicaID {
        if let replica = names.replicas[ordinal] { return replica }
        if ordinal >= unwritten.replica { try send() }
        return try stored.replica(at: ordinal)
    }

    package func number(ofEntity name: WireName) throws -> Int64 {
        if let number = names.entities[name] ?? entities[name]?.row { return number }
        let held = try stored.number(heldForEntity: name)
        let number = held ?? row.next.entity
        names.insert(name, entity: number)
        guard held == nil else { return number }
        row.next.entity += 1
        row.count(bytes: Int64(name.countedBytes))
        entities.put(number, at: name)
        return number
    }

    package func number(ofProperty property: WireProperty) throws -> Int64 {
        if let number = names.propertyNumbers[property] ?? properties[property]?.row {
            return number
        }
        let held = try stored.number(heldForProperty: property)
        let number = held ?? row.next.property
        names.insert(property, number: number)
        guard held == nil else { return number }
        row.next.property += 1
        row.count(bytes: Int64(property.name.countedBytes))
        properties.put(number, at: property)
        return number
    }

    package func property(at number: Int64) throws -> WireProperty {
        if let property = names.properties[number] { return property }
        if number >= unwritten.property { try send() }
        return try stored.property(at: number)
    }
}
