import AnabranchReplication

/// Reads a declaration from the elements of a model file.
struct ModelReader {
    let file: String
    private(set) var problems: [ModelError] = []
    private(set) var warnings: [ModelWarning] = []
    private var lines: [Place: Int] = [:]
    /// The composites that attributes name as their types.
    var composites = ModelComposites()
    /// The number of elements that the composite attributes of the present entity have so far.
    var compositeElementCount = 0

    private struct Place: Hashable {
        let entity: String?
        let property: String?
    }

    init(file: String) { self.file = file }

    /// Reads the whole model.
    ///
    /// - Throws: ``ModelError`` if the file is not a model. Other problems are collected in
    ///   `problems`.
    mutating func read(_ root: ModelElement) throws(ModelError) -> ModelDeclaration {
        guard root.name == "model",
            root.text("type") == "com.apple.IDECoreDataModeler.DataModel"
        else {
            throw ModelError(
                .notAModel, file: file, line: root.line,
                "Can't read the file because it is no model of Xcode's model editor.")
        }
        guard root.text("documentVersion") == "1.0" else {
            throw ModelError(
                .notAModel, file: file, line: root.line,
                "Can't read the model file because its document version is not 1.0.")
        }
        var result = ModelDeclaration(
            entities: [], versionIdentifier: root.text("userDefinedModelVersionIdentifier"))
        checkFlags(of: root.children(named: "entity"))
        checkFlags(of: root.children(named: "composite"))
        read(composites: root.children(named: "composite"))
        for element in root.children(named: "entity") {
            result.entities.append(read(entity: element))
        }
        reportUnused(composites: root.children(named: "composite"))
        for element in root.children(named: "fetchRequest") {
            result.fetchRequestTemplates.append(read(template: element))
        }
        warnings += result.removeOneSidedInverses().map(ModelWarning.init)
        warnings += result.dropIndexesWithoutColumns(keepingUnknown: true)
        for element in root.children(named: "configuration") {
            result.configurations.append(read(configuration: element))
        }
        problems += UserInfoSettings.apply(to: &result).map { problem in
            problem.error(in: file, line: line(of: problem.property, in: problem.entity))
        }
        return result
    }

    mutating func refuse(
        _ code: ModelError.Code, _ element: ModelElement, entity: String?, property: String? = nil,
        _ message: String
    ) {
        problems.append(
            ModelError(
                code, entity: entity, property: property, file: file, line: element.line, message))
    }

    mutating func ignore(entity: String?, property: String? = nil, _ message: String) {
        warn(.ignored, entity: entity, property: property, message)
    }

    mutating func warn(
        _ code: ModelWarning.Code, entity: String?, property: String? = nil, _ message: String
    ) {
        warnings.append(ModelWarning(code, entity: entity, property: property, message))
    }

    mutating func remember(_ element: ModelElement, entity: String?, property: String? = nil) {
        lines[Place(entity: entity, property: property), default: element.line] = element.line
    }

    /// Adds the file and line to every problem of an error.
    func placed(_ error: ModelError) -> ModelError {
        let all = error.all.map { problem in
            var problem = problem
            problem.file = file
            problem.line = problem.line ?? line(of: problem.property, in: problem.entity)
            return problem
        }
        return ModelError(all) ?? error
    }

    /// Adds the file and line to a warning.
    func placed(_ warning: ModelWarning) -> ModelWarning {
        var warning = warning
        warning.file = file
        warning.line = line(of: warning.property, in: warning.entity)
        return warning
    }

    /// The line of a property, or else that of its entity.
    private func line(of property: String?, in entity: String?) -> Int? {
        lines[Place(entity: entity, property: property)]
            ?? lines[Place(entity: entity, property: nil)]
    }
}
