import Anabranch
import AnabranchStore
import Foundation
import TestSupport
import Testing

@Suite struct `Transformable attributes` {
    @Test func `a value is saved as its bytes and read back from them`() throws {
        let shop = try Shop()
        try shop.inContext { context throws in
            let laptop = try context.insert(Laptop.self)
            #expect(laptop.colour == nil)
            laptop.colour = .teal
            #expect(laptop.colour == .teal)
            #expect(try laptop.value(forKey: "colour") == .data(Data([0, 128, 128])))
            laptop.tags = ["b": 2, "a": 1]
            #expect(try laptop.value(forKey: "tags") == .data(Data(#"{"a":1,"b":2}"#.utf8)))
            try context.save()
        }
        try shop.inContext { context throws in
            let laptop = try #require(try context.fetch(FetchRequest<Laptop>()).first)
            #expect(laptop.colour == .teal && laptop.tags == ["a": 1, "b": 2])
            laptop.colour = Dye(red: 1, green: 2, blue: 3)
            laptop.tags = nil
            try context.save()
        }
        try shop.inContext { context throws in
            let laptop = try #require(try context.fetch(FetchRequest<Laptop>()).first)
            #expect(laptop.colour == Dye(red: 1, green: 2, blue: 3))
            #expect(try laptop.tags == nil && laptop.value(forKey: "tags") == .null)
        }
    }

    @Test func `a value is read and set by name, with its type`() throws {
        let shop = try Shop()
        try shop.inContext { context throws in
            let laptop = try context.insert("Laptop")
            #expect(try laptop.transformedValue(forKey: "colour", as: Dye.self) == nil)
            try laptop.setTransformedValue(Dye.teal, forKey: "colour")
            let dye: Dye? = try laptop.transformedValue(forKey: "colour")
            #expect(dye == .teal)
            #expect(try laptop.value(forKey: "colour", as: Data.self) == Data([0, 128, 128]))
            try laptop.setValue(Data([7, 8, 9]), forKey: "colour")
            #expect(
                try laptop.transformedValue(forKey: "colour") == Dye(red: 7, green: 8, blue: 9))
            try laptop.setTransformedValue(Dye?.none, forKey: "colour")
            #expect(try laptop.value(forKey: "colour") == .null)
        }
    }

    @Test func `an equal value is no change, another one is`() throws {
        let shop = try Shop()
        try shop.inContext { context throws in
            let laptop = try context.insert(Laptop.self)
            laptop.colour = .teal
            laptop.tags = ["x": 1, "y": 2, "z": 3]
            try context.save()
            laptop.colour = .teal
            laptop.tags = ["z": 3, "y": 2, "x": 1]
            #expect(laptop.hasChanges && !laptop.hasPersistentChangedValues)
            // The colour is a value type: an object changes by being set.
            laptop.colour?.red = 9
            #expect(try laptop.changedValues() == ["colour": .data(Data([9, 128, 128]))])
            #expect(
                try laptop.committedValues(forKeys: ["colour"])
                    == ["colour": .data(Data([0, 128, 128]))])
        }
    }

    @Test func `a value without bytes leaves the property as it was, and the next save reports it`()
        throws
    {
        let shop = try Shop()
        try shop.inContext { context throws in
            let laptop = try context.insert(Laptop.self)
            laptop.colour = .teal
            laptop.colour = .black
            #expect(laptop.colour == .teal)
            let error = #expect(throws: PropertyError.self) { try context.save() }
            #expect(error?.code == .untransformable && error?.property == "colour")
            #expect(error?.objectID == laptop.objectID)
            #expect(error?.underlying is DyeTransformer.Failure)
            let named = #expect(throws: PropertyError.self) {
                try laptop.setTransformedValue(Dye.black, forKey: "colour")
            }
            #expect(named?.code == .untransformable)
            try context.save()
            #expect(laptop.colour == .teal)
        }
    }

    @Test func `bytes that are no value read nil, and the next save reports the error`() throws {
        let shop = try Shop()
        try shop.inContext { context throws in
            let laptop = try context.insert(Laptop.self)
            try laptop.setValue(Data([1, 2]), forKey: "colour")
            #expect(laptop.colour == nil)
            let error = #expect(throws: PropertyError.self) { try context.save() }
            #expect(error?.code == .untransformable && error?.objectID == laptop.objectID)
            #expect(error?.message.contains("2 bytes") == true)
            #expect(throws: PropertyError.self) {
                try laptop.transformedValue(forKey: "colour", as: Dye.self)
            }
            try context.save()
        }
        // The bytes stay in the store.
        try shop.inContext { context throws in
            let laptop = try #require(try context.fetch(FetchRequest<Laptop>()).first)
            #expect(try laptop.value(forKey: "colour") == .data(Data([1, 2])))
        }
    }

    @Test func `the error names a transformer that is not registered`() throws {
        let shop = try Shop()
        try shop.inContext { context throws in
            let laptop = try context.insert(Laptop.self)
            laptop.unknown = .teal
            let error = #expect(throws: PropertyError.self) { try context.save() }
            #expect(error?.code == .unknownTransformer && error?.property == "unknown")
            #expect(
                error?.message.contains("register(_:forName: \"NobodysTransformer\")") == true)
            // Setting the bytes does not need the transformer.
            try laptop.setValue(Data([1]), forKey: "unknown")
            try context.save()
        }
    }

    @Test func `one of Core Data's transformer names is the default, another is unknown`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Box") {
                AttributeDeclaration("old", .transformable, transformer: "NSKeyedUnarchiveFromData")
                AttributeDeclaration("plain", .transformable)
                AttributeDeclaration(
                    "secure", .transformable, transformer: "NSSecureUnarchiveFromData")
            }
        }
        try League(model).inContext { context throws in
            let box = try context.insert("Box")
            for key in ["plain", "secure"] {
                try box.setTransformedValue(["b": 2, "a": 1], forKey: key)
                #expect(try box.value(forKey: key) == .data(Data(#"{"a":1,"b":2}"#.utf8)))
                #expect(
                    try box.transformedValue(forKey: key, as: [String: Int].self)
                        == ["a": 1, "b": 2])
            }
            let error = #expect(throws: PropertyError.self) {
                try box.setTransformedValue([1], forKey: "old")
            }
            #expect(error?.code == .unknownTransformer && error?.property == "old")
            #expect(error?.message.contains("NSKeyedUnarchiveFromData") == true)
            try context.save()
        }
    }

    @Test func `a value of another type than the transformer's is refused`() throws {
        let shop = try Shop()
        try shop.inContext { context throws in
            let laptop = try context.insert(Laptop.self)
            laptop.colour = .teal
            let wrongSet = #expect(throws: PropertyError.self) {
                try laptop.setTransformedValue("teal", forKey: "colour")
            }
            #expect(wrongSet?.code == .untransformable)
            #expect(wrongSet?.message.contains("Dye") == true)
            let wrongRead = #expect(throws: PropertyError.self) {
                try laptop.transformedValue(forKey: "colour", as: String.self)
            }
            #expect(wrongRead?.code == .untransformable)
            let uncodable = #expect(throws: PropertyError.self) {
                try laptop.setTransformedValue(Dye.teal, forKey: "tags")
            }
            #expect(uncodable?.message.contains("Dye is not Codable") == true)
            let wrongKind = #expect(throws: PropertyError.self) {
                try laptop.setTransformedValue("x", forKey: "title")
            }
            #expect(wrongKind?.code == .wrongKind && wrongKind?.property == "title")
            let wrongCase = #expect(throws: PropertyError.self) {
                try laptop.setValue("teal", forKey: "colour")
            }
            #expect(wrongCase?.code == .wrongType)
        }
    }

    @Test func `a deleted object takes no value any more`() throws {
        let shop = try Shop()
        try shop.inContext { context throws in
            let laptop = try context.insert(Laptop.self)
            try context.save()
            context.delete(laptop)
            try context.save()
            #expect(throws: PropertyError.self) {
                try laptop.setTransformedValue(Dye.teal, forKey: "colour")
            }
            let read: Dye? = try laptop.transformedValue(forKey: "colour")
            #expect(read == nil)
        }
    }

    @Test func `a store and a context compare bytes alike`() throws {
        let shop = try Shop()
        try shop.inContext { context throws in
            for (title, colour) in [
                ("a", Dye.teal), ("b", nil), ("c", Dye(red: 1, green: 1, blue: 1)),
            ] {
                let laptop = try context.insert(Laptop.self)
                laptop.title = title
                laptop.colour = colour
            }
            let teal = Data([0, 128, 128])
            let cases: [(FetchPredicate, String)] = [
                (try FetchPredicate("colour == nil"), "b"),
                (try FetchPredicate("colour != nil"), "ac"),
                (try FetchPredicate("colour == %@", teal), "a"),
                (try FetchPredicate("colour != %@", teal), "bc"),
                (try FetchPredicate("colour IN {%@}", teal), "a"),
            ]
            func titles(_ predicate: FetchPredicate) throws -> String {
                var request = FetchRequest<Laptop>()
                request.predicate = predicate
                request.sorts = [FetchSort("title")]
                return try context.fetch(request).compactMap(\.title).joined()
            }
            for (predicate, expected) in cases { #expect(try titles(predicate) == expected) }
            try context.save()
            for (predicate, expected) in cases { #expect(try titles(predicate) == expected) }
            let order = try FetchPredicate("colour > %@", teal)
            #expect(throws: FetchPredicateError.self) { try titles(order) }
            var sorted = FetchRequest<Laptop>()
            sorted.sorts = [FetchSort("colour")]
            #expect(throws: FetchPredicateError.self) { try context.fetch(sorted) }
        }
    }

    @Test func `a store without the transformer sends, merges and keeps the bytes`() throws {
        let (ours, theirs) = (try Shop(), try TemporaryDirectory("peer"))
        let peer = PersistentContainer(
            model: try Shop.model(), url: URL(filePath: theirs.file("peer.anabranch")))
        try peer.load()
        let zone = Zone()
        try ours.inContext { context throws in
            let laptop = try context.insert(Laptop.self)
            laptop.colour = .teal
            try laptop.setValue(Data([5]), forKey: "unknown")
            try context.save()
        }
        try zone.exchange(ours.container.coordinator)
        try zone.exchange(peer.coordinator)
        try peer.newBackgroundContext().performAndWait { context throws in
            var request = FetchRequest<ManagedObject>(entityName: "Laptop")
            request.predicate = try FetchPredicate("colour == %@", Data([0, 128, 128]))
            let laptop = try #require(try context.fetch(request).first)
            #expect(try laptop.value(forKey: "unknown") == .data(Data([5])))
            try laptop.setValue(Data([1, 2, 3]), forKey: "colour")
            try context.save()
        }
        try zone.exchange(peer.coordinator)
        try zone.exchange(ours.container.coordinator)
        try ours.inContext { context throws in
            let laptop = try #require(try context.fetch(FetchRequest<Laptop>()).first)
            #expect(laptop.colour == Dye(red: 1, green: 2, blue: 3))
        }
    }
}

@Suite struct `Transformers` {
    @Test func `the last registration under a name is the valid one`() {
        let name = "Transformers.last"
        #expect(AttributeTransformers.transformer(forName: name) == nil)
        AttributeTransformers.register(DyeTransformer(), forName: name)
        AttributeTransformers.register(CodableTransformer<Int>(), forName: name)
        #expect(AttributeTransformers.transformer(forName: name) is CodableTransformer<Int>)
    }

    private struct Sketch: Codable, Equatable {
        var zoom = 1.5
        var area: [String: [Int]] = [:]
        var day: Date?
        var link: URL?
        var page: Data?
    }

    @Test func `one value has one form in bytes`() throws {
        let transformer = CodableTransformer<Sketch>()
        var forms: Set<Data> = []
        for seed in 0..<20 {
            var generator = SeededGenerator(seed: UInt64(seed))
            var sketch = Sketch()
            for key in (0..<30).map(String.init).shuffled(using: &generator) {
                sketch.area[key] = [1]
            }
            forms.insert(try transformer.data(from: sketch))
        }
        #expect(forms.count == 1)
    }

    @Test func `a decoded value equals the encoded one`() throws {
        let sketch = Sketch(
            zoom: -.infinity, area: ["a": [1, 2]], day: Date(timeIntervalSinceReferenceDate: 0.1),
            link: URL(string: "https://example.org/a/b"), page: Data([0, 255]))
        let transformer = CodableTransformer<Sketch>()
        let data = try transformer.data(from: sketch)
        #expect(try transformer.value(from: data) == sketch)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"area":{"a":[1,2]},"day":0.1,"link":"https://example.org/a/b","#
                + #""page":"AP8=","zoom":"-inf"}"#)
        for value in ["", "é", "\u{0}"] {
            let texts = CodableTransformer<String>()
            #expect(try texts.value(from: try texts.data(from: value)) == value)
        }
        #expect(throws: (any Error).self) { try transformer.value(from: Data([1, 2])) }
    }
}

@Suite struct `Transient attributes` {
    @Test func `they survive a save, and a fault has their defaults again`() throws {
        let shop = try Shop()
        try shop.inContext { context throws in
            let laptop = try context.insert(Laptop.self)
            #expect(laptop.label == "new")
            laptop.label = "sold"
            laptop.shade = .teal
            laptop.mark = [1, 2.5]
            try context.save()
            #expect(laptop.label == "sold" && laptop.shade == .teal && laptop.mark == [1, 2.5])
            #expect(!laptop.hasChanges)
            laptop.shade = Dye(red: 1, green: 1, blue: 1)
            #expect(laptop.isUpdated && !laptop.hasPersistentChangedValues)
            #expect(try laptop.changedValues().keys.sorted() == ["shade"])
            try context.refresh(laptop, mergeChanges: false)
            #expect(laptop.isFault)
            #expect(laptop.label == "new" && laptop.shade == nil && laptop.mark == nil)
        }
    }

    @Test func `a context that was reset, and every other one, has their defaults`() throws {
        let shop = try Shop()
        try shop.inContext { context throws in
            let laptop = try context.insert(Laptop.self)
            laptop.label = "sold"
            laptop.mark = [3]
            try context.save()
            context.reset()
            let again = try #require(try context.fetch(FetchRequest<Laptop>()).first)
            #expect(again !== laptop && again.label == "new" && again.mark == nil)
        }
        try shop.inContext { context throws in
            let laptop = try #require(try context.fetch(FetchRequest<Laptop>()).first)
            #expect(laptop.label == "new" && laptop.shade == nil)
            #expect(!laptop.hasChanges)
            laptop.label = "sold"
            let child = context.newChildContext()
            #expect(try child.fetch(FetchRequest<Laptop>()).map(\.label) == ["new"])
        }
    }

    @Test func `a refresh that keeps changes keeps them`() throws {
        let shop = try Shop()
        try shop.inContext { context throws in
            let laptop = try context.insert(Laptop.self)
            try context.save()
            laptop.title = "A"
            laptop.mark = [3]
            try context.refresh(laptop, mergeChanges: true)
            #expect(laptop.title == "A" && laptop.mark == [3])
        }
    }

    @Test func `one of no type holds any value by name`() throws {
        let shop = try Shop()
        try shop.inContext { context throws in
            let laptop = try context.insert("Laptop")
            for value in [PropertyValue.integer(7), .string("x"), .data(Data([1])), .null] {
                try laptop.setValue(value, forKey: "mark")
                #expect(try laptop.value(forKey: "mark") == value)
            }
            try laptop.setValue(.integer(7), forKey: "mark")
            let error = #expect(throws: PropertyError.self) {
                try laptop.transformedValue(forKey: "mark", as: [Double].self)
            }
            #expect(error?.code == .wrongType)
            try context.save()
            #expect(try laptop.value(forKey: "mark") == .integer(7))
        }
    }
}
