import AnabranchReplication

extension CompiledModelReader {
    mutating func read(
        relationship archived: ArchivedObject, _ name: String, of entity: String
    ) -> RelationshipDeclaration {
        let destination =
            archived.text("_NSDestinationEntityName")
            ?? archived.object("NSDestinationEntity")?.text("NSEntityName")
        var relationship = RelationshipDeclaration(name, to: destination ?? "")
        relationship.isOptional = archived.flag("NSIsOptional")
        relationship.isTransient = archived.flag("NSIsTransient")
        relationship.isOrdered = archived.flag("NSIsOrdered")
        relationship.renamingIdentifier = renamingIdentifier(of: archived, named: name)
        relationship.versionHashModifier = archived.text("NSVersionHashModifier")
        relationship.userInfo = userInfo(of: archived)
        relationship.inverse =
            archived.text("_NSInverseRelationshipName")
            ?? archived.object("NSInverseRelationship")?.text("NSPropertyName")
        let rule = archived.integer("NSDeleteRule") ?? 0
        relationship.deleteRule = DeleteRule(rawValue: Int(clamping: rule)) ?? .noAction
        let most = archived.integer("NSMaxCount") ?? 0
        relationship.isToMany = most != 1
        // 0 and -1 both mean that there is no limit.
        relationship.maxCount = most > 0 ? Int(clamping: most) : nil
        // A to-one that must not be missing has a least count of one, and is not optional.
        let least = Int(clamping: archived.integer("NSMinCount") ?? 0)
        relationship.minCount = relationship.isToMany ? least : 0
        return relationship
    }
}
