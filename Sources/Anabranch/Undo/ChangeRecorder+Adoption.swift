import AnabranchReplication

extension ChangeRecorder.Record {
    /// What is noted of an object is of another one from now on, and what was noted of that is not
    /// any more.
    ///
    /// - Parameter values: That the object had before the event.
    mutating func replace(
        _ object: ManagedObject, by other: ManagedObject, _ values: [PropertyValue]
    ) {
        origins[other] = origins.removeValue(forKey: object)
        objects.removeAll { $0 === object || $0 === other }
        objects.append(other)
        adoptedValues[other] = values
        links = links.reduce(into: [:]) { links, entry in
            let (key, isAdded) = entry
            guard key.owner !== other, key.member !== other else { return }
            links[key.replacing(object, by: other)] = isAdded
        }
        lists = lists.reduce(into: [:]) { lists, entry in
            var (key, origin) = entry
            guard key.owner !== other else { return }
            if key.owner === object { key = ListKey(owner: other, index: key.index) }
            lists[key] = origin
        }
    }
}

extension LinkKey {
    fileprivate func replacing(_ object: ManagedObject, by other: ManagedObject) -> LinkKey {
        guard owner === object || member === object else { return self }
        return LinkKey(
            owner === object ? other : owner, relationship, member === object ? other : member)
    }
}
