import AnabranchReplication

/// Reads a declaration from the archive of a compiled model.
///
/// An entity of the archive lists inherited properties too, and names itself where nothing was
/// renamed. The declaration has neither.
struct CompiledModelReader {
    let file: String
    private(set) var problems: [ModelError] = []
    private(set) var warnings: [ModelWarning] = []
    /// The number of elements that the composite attributes of the present entity have so far.
    var compositeElementCount = 0

    init(file: String) { self.file = file }

    /// Reads the whole model.
    ///
    /// - Throws: ``ModelError`` if the bytes are not the archive of a model. Other problems are
    ///   collected in `problems`.
    mutating func read(_ bytes: [UInt8]) throws(ModelError) -> ModelDeclaration {
        guard let archive = KeyedArchive(bytes), let root = archive.rootObject,
            root.className == "NSManagedObjectModel"
        else {
            throw ModelError(
                .notAModel, file: file,
                "Can't read the compiled model because it is no archive of a model.")
        }
        var result = ModelDeclaration(entities: [], versionIdentifier: versionIdentifier(of: root))
        for entry in root.entries("NSEntities") {
            guard let entity = entry.value.object, entity.className == "NSEntityDescription"
            else { continue }
            result.entities.append(read(entity: entity, named: entry.key))
        }
        for entry in root.entries("NSFetchRequestTemplates") {
            if let request = entry.value.object {
                read(template: request, named: entry.key, into: &result)
            }
        }
        result.configurations = configurations(of: root)
        guard !archive.isExhausted else { throw exhausted(bytes.count) }
        CompositeTypeNames.assign(to: &result)
        warnings += result.removeOneSidedInverses().map(ModelWarning.init)
        warnings += result.dropIndexesWithoutColumns(keepingUnknown: false)
        problems += UserInfoSettings.apply(to: &result).map { $0.error(in: file) }
        return result
    }

    private func exhausted(_ byteCount: Int) -> ModelError {
        ModelError(
            .notAModel, file: file,
            "Can't read the compiled model because its objects contain themselves, or one another "
                + "far more often than those of a model of \(byteCount) bytes. The file is "
                + "damaged, or no compiler of models has written it.")
    }

    private func versionIdentifier(of root: ArchivedObject) -> String? {
        let identifiers = root.elements("NSVersionIdentifiers").compactMap(\.text)
        return identifiers.filter { !$0.isEmpty }.min()
    }

    /// The configurations without the one that contains the whole model.
    private func configurations(of root: ArchivedObject) -> [ModelConfiguration] {
        root.entries("NSConfigurations").compactMap { entry in
            guard entry.key != "PF_DEFAULT_CONFIGURATION_NAME" else { return nil }
            let members = entry.value.elements.compactMap {
                $0.text ?? $0.object?.text("NSEntityName")
            }
            return ModelConfiguration(entry.key, entities: members)
        }
    }

    private mutating func read(entity archived: ArchivedObject, named name: String)
        -> EntityDeclaration
    {
        var entity = EntityDeclaration(archived.text("NSEntityName") ?? name)
        entity.parent = archived.object("NSSuperentity")?.text("NSEntityName")
        entity.isAbstract = archived.flag("NSIsAbstract")
        entity.representedClassName = archived.text("NSClassNameForEntity")
        entity.renamingIdentifier = renamingIdentifier(of: archived, named: entity.name)
        entity.versionHashModifier = archived.text("NSVersionHashModifier")
        entity.userInfo = userInfo(of: archived)
        readProperties(of: archived, into: &entity)
        readIndexes(of: archived, into: &entity)
        entity.uniquenessConstraints = archived.elements("NSUniqueTuples").map { tuple in
            UniquenessConstraint(attributes: tuple.elements.compactMap { constraintName($0) })
        }
        return entity
    }

    /// The attribute of a constraint, which is archived as its name or as a description.
    private func constraintName(_ element: ArchivedValue) -> String? {
        element.text ?? element.object?.text("NSPropertyName")
    }

    func renamingIdentifier(of archived: ArchivedObject, named name: String) -> String? {
        let identifier = archived.text("NSRenamingIdentifier") ?? ""
        return identifier.isEmpty || identifier.hasSameBytes(as: name) ? nil : identifier
    }

    func userInfo(of archived: ArchivedObject) -> [String: String] {
        let texts = archived.entries("NSUserInfo").compactMap { entry in
            entry.value.text.map { (entry.key, $0) }
        }
        return Dictionary(texts, uniquingKeysWith: { _, last in last })
    }

    private mutating func readProperties(
        of archived: ArchivedObject, into entity: inout EntityDeclaration
    ) {
        let inherited = inheritedNames(of: archived)
        compositeElementCount = 0
        for entry in archived.entries("NSProperties") {
            guard let property = entry.value.object, !inherited.contains(WireName(entry.key))
            else { continue }
            switch property.className {
            case Self.compositeClass:
                entity.compositeAttributes.append(
                    read(composite: property, entry.key, of: entity.name))
            case "NSAttributeDescription", "NSDerivedAttributeDescription":
                entity.attributes.append(read(attribute: property, entry.key, of: entity.name))
            case "NSRelationshipDescription":
                entity.relationships.append(
                    read(relationship: property, entry.key, of: entity.name))
            case "NSFetchedPropertyDescription":
                read(fetchedProperty: property, entry.key, into: &entity)
            case "_NSPropertyDescriptionProxy": break
            default:
                refuse(
                    entity: entity.name, property: entry.key,
                    "Can't use \(entity.name).\(entry.key) because properties of the class "
                        + "\(property.className) are not supported yet.")
            }
        }
    }

    /// The names of the properties of all super-entities.
    private func inheritedNames(of archived: ArchivedObject) -> Set<WireName> {
        var names: Set<WireName> = []
        var parent = archived.object("NSSuperentity")
        for _ in 0..<ModelLimits.deepestHierarchy {
            guard let present = parent else { break }
            names.formUnion(present.entries("NSProperties").map { WireName($0.key) })
            parent = present.object("NSSuperentity")
        }
        return names
    }

    mutating func refuse(
        _ code: ModelError.Code, entity: String, property: String, _ message: String
    ) {
        problems.append(ModelError(code, entity: entity, property: property, file: file, message))
    }

    mutating func refuse(
        _ feature: ModelError.Feature? = nil, entity: String, property: String, _ message: String
    ) {
        problems.append(
            ModelError(
                .notSupportedYet, entity: entity, property: property, feature: feature, file: file,
                message))
    }

    mutating func ignore(entity: String?, property: String? = nil, _ message: String) {
        warnings.append(ModelWarning(.ignored, entity: entity, property: property, message))
    }
}
