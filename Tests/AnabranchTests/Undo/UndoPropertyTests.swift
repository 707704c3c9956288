import Anabranch
import TestSupport
import Testing

/// One context under random groups of edits, undone and redone, with a snapshot after each.
private struct UndoTrial {
    let workshop: Workshop
    let context: ManagedObjectContext
    let stack: UndoStack
    let seed: UInt64
    var random: SeededGenerator
    /// All objects that have ever existed. A snapshot names an object by its index here.
    var objects: [ManagedObject] = []
    var snapshots: [ContextSnapshot] = []
    /// The index of the snapshot that the context shows.
    var position = 0
    /// The position at the last save of everything.
    var savedPosition: Int? = 0
    var changeCount = 0

    init(_ workshop: Workshop, _ context: ManagedObjectContext, _ stack: UndoStack, _ seed: UInt64)
        throws
    {
        self.workshop = workshop
        self.context = context
        self.stack = stack
        self.seed = seed
        random = SeededGenerator(seed: seed)
        snapshots = [try snapshot()]
    }

    func snapshot() throws -> ContextSnapshot {
        let numbers = Dictionary(
            uniqueKeysWithValues: objects.enumerated().map { (ObjectIdentifier($1), $0) })
        return try ContextSnapshot(of: context) { object in
            numbers[ObjectIdentifier(object)].map(name) ?? "stranger \(object)"
        }
    }

    mutating func check(_ what: String) throws {
        let found = try snapshot()
        guard found != snapshots[position] else { return }
        // If an undo recreates an object after its deletion was saved, the object is new. When it
        // is deleted again, it disappears at once.
        let gone = Set(objects.indices.filter { objects[$0].managedObjectContext == nil }.map(name))
        let expected = snapshots[position].without(deleted: { gone.contains(String($0)) })
        guard found != expected else { return }
        let cause = "seed \(seed), \(what) to \(position)"
        Issue.record("\(cause):\n\(found.difference(from: expected))")
        throw Different()
    }

    private func name(_ number: Int) -> String { "\(objects[number].entity.name) \(number)" }

    /// Checks that a context that shows its saved state has no changes.
    func checkRest() throws {
        guard position == savedPosition, context.hasChanges else { return }
        let changed = try context.updatedObjects.union(context.insertedObjects).map {
            object throws in
            "\(object) \(try object.changedValues()) \(object.changedRelationshipNames)"
        }
        Issue.record("seed \(seed), at \(position) unsaved: \(changed), \(context.deletedObjects)")
    }

    struct Different: Error {}

    // MARK: - Whole steps

    mutating func step() throws {
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: try undo()
        case 2: try redo()
        case 3: try save()
        case 4: try forget()
        default: try edit()
        }
    }

    mutating func undo() throws {
        #expect(stack.canUndo == (position > 0), "seed \(seed)")
        guard position > 0 else { return }
        position -= 1
        context.undo()
        try check("undo")
        try checkRest()
    }

    mutating func redo() throws {
        #expect(stack.canRedo == (position < snapshots.count - 1), "seed \(seed)")
        guard position < snapshots.count - 1 else { return }
        position += 1
        context.redo()
        try check("redo")
        try checkRest()
    }

    /// Saves up to the store, unless a delete rule denies a deletion.
    mutating func save() throws {
        guard try isSaved() else { return try check("denied save") }
        savedPosition = position
        try check("save")
        try checkStored("saved")
    }

    @discardableResult
    fileprivate func isSaved() throws -> Bool {
        let isDenied = try objects.contains { object in
            try object.managedObjectContext != nil && !object.isDeleted && isKind(object, "Thing")
                && object.object(forKey: "warden")?.isDeleted == true
        }
        do {
            try context.save()
        } catch let error as ValidationError where isDenied {
            #expect(error.all.contains { $0.code == .deniedDelete }, "seed \(seed)")
            return false
        }
        #expect(!isDenied, "seed \(seed)")
        try context.parent?.save()
        return true
    }

    /// Turns objects into faults, so that they are read again; unsaved changes stay.
    mutating func forget() throws {
        guard let object = forgettable.randomElement(using: &random) else { return }
        try context.refresh(object, mergeChanges: true)
        try check("refresh")
    }

    private var forgettable: [ManagedObject] {
        objects.filter { object in
            !object.hasChanges && object.managedObjectContext != nil
                && !hasTransientValue(object)
        }
    }

    private func hasTransientValue(_ object: ManagedObject) -> Bool {
        UndoModel.transientKeys(of: object.entity).contains { key in
            if object.entity.property(named: key)?.relationship == nil {
                return !object[key].isNull
            }
            return (try? object.objectIDs(forRelationshipNamed: key).isEmpty) == false
        }
    }

    mutating func forgetAll() throws {
        for object in forgettable { try context.refresh(object, mergeChanges: true) }
        try check("refresh of all")
    }

    mutating func edit() throws {
        let number = Int.random(in: 1...4, using: &random)
        let isCut = random.oneIn(3)
        stack.beginUndoGrouping()
        for _ in 0..<number {
            try change()
            if isCut, random.oneIn(2) { context.processPendingChanges() }
        }
        // A group without a change would not be on the undo stack.
        context.processPendingChanges()
        if let object = anyone() { try touch(object) } else { try insert() }
        stack.endUndoGrouping()
        let shown = try snapshot()
        snapshots.removeSubrange((position + 1)...)
        snapshots.append(shown)
        position += 1
        if savedPosition ?? 0 >= position { savedPosition = nil }
    }
}

// MARK: - Single changes
extension UndoTrial {
    private mutating func change() throws {
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: try insert()
        case 2, 3: try setValues()
        case 4, 5, 6: try setTarget()
        case 7, 8, 9: try changeMembers()
        case 10, 11: try move()
        case 12: if let object = anyone() { context.delete(object) }
        default: try setValues()
        }
    }

    private mutating func anyone(_ entity: String? = nil) -> ManagedObject? {
        objects.filter { object in
            object.managedObjectContext != nil && !object.isDeleted
                && (entity == nil || isKind(object, entity ?? ""))
        }.randomElement(using: &random)
    }

    private func isKind(_ object: ManagedObject, _ name: String) -> Bool {
        context.model.entity(named: name).map(object.entity.isKind) ?? false
    }

    private mutating func insert() throws {
        let names = ["Thing", "Thing", "Gadget", "Badge", "Step", "Step", "Tag"]
        let object = try context.insert(names[Int.random(in: 0..<names.count, using: &random)])
        objects.append(object)
        try touch(object)
    }

    /// Sets a value that is always new, so that every group has a change.
    private mutating func touch(_ object: ManagedObject) throws {
        changeCount += 1
        object["name"] = .string("\(changeCount)")
    }

    private mutating func setValues() throws {
        guard let object = anyone() else { return try insert() }
        try touch(object)
        guard isKind(object, "Thing") else { return }
        changeCount += 1
        let number = Int64(changeCount)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: object["count"] = .integer(number)
        case 1: object["mood"] = .string("mood \(number)")
        case 2: object["x"] = .integer(number)
        default: object["hits"] = .integer(number)
        }
    }

    private mutating func setTarget() throws {
        let all = [
            ("Thing", "owner", "Thing"), ("Thing", "badge", "Badge"), ("Badge", "holder", "Thing"),
            ("Step", "thing", "Thing"), ("Thing", "warden", "Thing"), ("Thing", "cursor", "Step"),
            ("Thing", "leader", "Thing"), ("Thing", "partner", "Thing"),
            ("Thing", "spouse", "Thing"),
        ]
        let (entity, key, destination) = all[Int.random(in: 0..<all.count, using: &random)]
        guard let object = anyone(entity) else { return try insert() }
        try touch(object)
        try object.relate(key, to: random.oneIn(4) ? nil : anyone(destination))
    }

    private mutating func changeMembers() throws {
        let all = [
            ("Thing", "friends", "Thing"), ("Thing", "parts", "Thing"), ("Thing", "picks", "Step"),
            ("Thing", "steps", "Step"), ("Thing", "tags", "Tag"), ("Step", "pickers", "Thing"),
            ("Tag", "things", "Thing"), ("Thing", "wards", "Thing"), ("Thing", "crew", "Thing"),
            ("Step", "readers", "Thing"),
        ]
        let (entity, key, destination) = all[Int.random(in: 0..<all.count, using: &random)]
        guard let object = anyone(entity), let member = anyone(destination) else {
            return try insert()
        }
        try touch(object)
        let set = try object.objects(forKey: key)
        if random.oneIn(3) {
            if let former = set.objects.randomElement(using: &random) { set.remove(former) }
        } else if key != "friends" || member !== object {
            set.insert(member)
        }
    }

    private mutating func move() throws {
        let all = [
            ("Thing", "picks"), ("Thing", "steps"), ("Step", "pickers"), ("Tag", "things"),
            ("Thing", "crew"),
        ]
        let (entity, key) = all[Int.random(in: 0..<all.count, using: &random)]
        guard let object = anyone(entity) else { return try insert() }
        try touch(object)
        let list = try object.list(forKey: key)
        guard list.count > 1 else { return }
        if random.oneIn(4) {
            list.replace(with: list.objects.shuffled(using: &random))
        } else {
            list.move(
                from: Int.random(in: 0..<list.count, using: &random),
                to: Int.random(in: 0..<list.count, using: &random))
        }
    }
}

// MARK: - Beside another context
extension UndoTrial {
    /// Lets another context change, link and delete saved objects, and merges its save.
    mutating func editElsewhere() throws {
        var random = self.random
        let changes = try workshop.elsewhere { other throws in
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let things = try other.fetch(FetchRequest<ManagedObject>(entityName: "Thing"))
                let steps = try other.fetch(FetchRequest<ManagedObject>(entityName: "Step"))
                let badges = try other.fetch(FetchRequest<ManagedObject>(entityName: "Badge"))
                guard let thing = things.randomElement(using: &random),
                    let friend = things.randomElement(using: &random)
                else { return }
                let target = random.oneIn(3) ? nil : friend
                switch Int.random(in: 0..<10, using: &random) {
                case 9: try thing.relate("spouse", to: target)
                case 0: if try isFree(thing) { other.delete(thing) }
                case 1: if friend !== thing { try thing.objects(forKey: "friends").insert(friend) }
                case 2: try thing.objects(forKey: "friends").removeAll()
                case 3: if let step = steps.last { other.delete(step) }
                case 4: try thing.relate("owner", to: target)
                case 5: try thing.relate("warden", to: target)
                case 6: if let step = steps.first { try thing.list(forKey: "picks").append(step) }
                case 7: try thing.relate("badge", to: badges.randomElement(using: &random))
                default: thing["y"] = 99
                }
                other.processPendingChanges()
            }
        }
        self.random = random
        try context.mergeChanges(from: changes)
        for object in try context.fetch(FetchRequest<ManagedObject>(entityName: "Thing"))
        where !objects.contains(object) {
            objects.append(object)
        }
    }

    /// Returns whether no delete rule denies the deletion of a thing and its parts.
    private func isFree(_ thing: ManagedObject) throws -> Bool {
        var seen: Set<ManagedObject> = []
        var open = [thing]
        while let next = open.popLast() {
            guard try next.objects(forKey: "wards").isEmpty else { return false }
            if seen.insert(next).inserted { open += try next.objects(forKey: "parts").objects }
        }
        return true
    }

    /// Checks that every relationship agrees with its inverse, and that no reference points to a
    /// deleted object, unless the deletion may be denied.
    func checkInverses() throws {
        for object in objects where object.managedObjectContext != nil && !object.isDeleted {
            for relationship in object.entity.relationships {
                guard let inverse = relationship.inverse?.name else { continue }
                let others: [ManagedObject] =
                    relationship.isToMany
                    ? try object.objects(forKey: relationship.name).objects
                    : try object.object(forKey: relationship.name).map { [$0] } ?? []
                for other in others {
                    if other.isDeleted, relationship.name == "warden" { continue }
                    let back = try other.objectIDs(forRelationshipNamed: inverse)
                    if relationship.name == "holder", try isTaken(other, from: object) {
                        continue
                    }
                    #expect(
                        back.contains(object.objectID) && other.managedObjectContext != nil
                            && !other.isDeleted,
                        "seed \(seed), \(object).\(relationship.name) has \(other) \(back)")
                }
            }
        }
    }

    /// Returns whether an unsaved change has given a thing another badge. The badge's stored
    /// holder, if it is read again, shows the badge until the save.
    private func isTaken(_ thing: ManagedObject, from badge: ManagedObject) throws -> Bool {
        guard let other = try thing.object(forKey: "badge"), other !== badge else { return false }
        return try other.changedValues()["holder"] != nil && badge.changedValues()["holder"] == nil
    }

    mutating func stepAmongOthers() throws {
        switch Int.random(in: 0..<24, using: &random) {
        case 0...4: context.undo()
        case 5...7: context.redo()
        case 8...10: if try isSaved() { try checkStored("saved") }
        case 11...13: try editElsewhere()
        case 14:
            context.rollback()
            try checkStored("rolled back")
        case 15: try refreshAnything()
        default:
            for _ in 0..<2 { try change() }
            context.processPendingChanges()
        }
        try checkInverses()
    }

    private mutating func refreshAnything() throws {
        if random.oneIn(4) { return try context.refreshAllObjects() }
        guard let object = anyone() else { return }
        try context.refresh(object, mergeChanges: random.oneIn(2))
    }

    /// Checks that a context without unsaved changes shows the content of the store.
    fileprivate func checkStored(_ what: String) throws {
        let stored = try workshop.inContext { other throws in
            try ContextSnapshot(of: other) { $0.objectID.description }
        }
        var own = try ContextSnapshot(of: context) { $0.objectID.description }
        for entity in context.model.entities {
            for key in UndoModel.transientKeys(of: entity) { own = own.without(key) }
        }
        #expect(own == stored, "seed \(seed), \(what):\n\(own.difference(from: stored))")
        #expect(!context.hasChanges, "seed \(seed), \(what)")
    }
}

@Suite struct `Undoing against snapshots of the graph` {
    @Test(arguments: TestLength.seeds(80))
    func `all the way back and forth the graph is what it was`(seed: UInt64) throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            var trial = try UndoTrial(workshop, context, stack, seed)
            for _ in 0..<25 { try trial.edit() }
            while trial.position > 0 { try trial.undo() }
            #expect(!context.hasChanges)
            while trial.position < trial.snapshots.count - 1 { try trial.redo() }
            while trial.position > 0 { try trial.undo() }
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: TestLength.seeds(120))
    func `graph and store are as they were after undoing with saves in between`(seed: UInt64) throws
    {
        let workshop = try Workshop()
        try workshop.inContext { root throws in
            let context = seed & 1 == 0 ? root : root.newChildContext()
            let stack = UndoStack()
            context.undoManager = stack
            var trial = try UndoTrial(workshop, context, stack, seed)
            for _ in 0..<60 { try trial.step() }
            for _ in 0..<2 {
                while trial.position > 0 { try trial.undo() }
                try trial.save()
                try trial.forgetAll()
                while trial.position < trial.snapshots.count - 1 { try trial.redo() }
                try trial.save()
                try trial.forgetAll()
            }
        }
    }

    @Test(arguments: TestLength.seeds(80))
    func `both ends agree beside concurrent saves, and the saved state is the visible one`(
        seed: UInt64
    ) throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            var trial = try UndoTrial(workshop, context, stack, seed)
            for _ in 0..<70 { try trial.stepAmongOthers() }
            while stack.canUndo {
                context.undo()
                try trial.checkInverses()
            }
            try trial.isSaved()
            while stack.canRedo {
                context.redo()
                try trial.checkInverses()
            }
            try trial.isSaved()
        }
    }
}
