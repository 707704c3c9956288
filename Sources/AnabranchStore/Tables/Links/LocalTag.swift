import AnabranchReplication

/// A tag of a link that names its replica by the ordinal in this file.
struct LocalTag: Hashable {
    var stamp: LocalStamp
    var place: LinkPosition = .none
}

extension ReplicaTable {
    func linkTags(_ tags: [LocalTag]) -> LinkTags {
        LinkTags(
            placed: tags.compactMap { tag in
                stamps([tag.stamp]).first.map { LinkTags.Tag($0, at: tag.place) }
            })
    }
}

extension WriteTransaction {
    func localTags(_ tags: LinkTags) throws -> [LocalTag] {
        try tags.all.map { LocalTag(stamp: try localStamp($0.stamp), place: $0.place) }
    }
}
