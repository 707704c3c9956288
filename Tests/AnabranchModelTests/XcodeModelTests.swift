import AnabranchModel
import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Tests of reading the files of Xcode's model editor.
struct XcodeModelTests {
    private func read(_ content: String) throws -> ManagedObjectModel {
        try ManagedObjectModel.reading(xml: XcodeModelText.model(content), file: "contents")
    }

    private func refusal(_ content: String) throws -> ModelError {
        try #require(throws: ModelError.self) { try read(content) }
    }

    @Test func `a model with a bit of everything is read`() throws {
        let model = try read(XcodeModelText.everything)
        #expect(model.declaration.versionIdentifier == "v2")
        let note = try model.required("Note")
        #expect(note.superentity?.name == "Item" && note.superentity?.isAbstract == true)
        #expect(note.representedClassName == ".Note")
        #expect(try model.required("Item").userInfo == ["k": "v"])
        let title = try model.attribute("Item", "title")
        #expect(title.wireProperty.name == "name" && title.isOptional)
        #expect(title.violation(by: "") == .tooShort)
        #expect(try model.attribute("Item", "id").isOptional == false)
        #expect(try model.attribute("Item", "made").defaultValue == .date(0))
        #expect(try model.attribute("Note", "pinned").defaultValue == .bool(false))
        #expect(try model.attribute("Note", "size").wireProperty.name == "bytes")
        let tags = try model.relationship("Item", "tags")
        #expect(tags.isToMany && tags.maxCount == nil && tags.deleteRule == .nullify)
        #expect(try tags.inverse == model.relationship("Tag", "items"))
        #expect(try model.relationship("Tag", "owner").deleteRule == .noAction)
        #expect(try model.required("Item").indexes.map(\.name) == ["byTitle", "made"])
        #expect(
            try model.required("Item").ownUniquenessConstraints.map { $0.map(\.name) } == [["id"]])
        #expect(model.fetchRequestTemplate(named: "byTitle")?.predicateFormat == "title == $title")
        let decoded = try ManagedObjectModel(canonicalEncoding: model.canonicalEncoding)
        #expect(decoded == model)
    }

    @Test func `a to-one is acyclic where its user info says so`() throws {
        func entity(_ text: String, _ toMany: String = "NO") -> String {
            """
            <entity name="Item"><attribute name="t" optional="YES" attributeType="String"/>
            <relationship name="above" optional="YES" toMany="\(toMany)" maxCount="1"
            deletionRule="Nullify" destinationEntity="Item">
            <userInfo><entry key="anabranch.acyclic" value="\(text)"/></userInfo></relationship>
            </entity>
            """
        }
        for (text, isAcyclic) in [("YES", true), ("NO", false)] {
            let above = try read(entity(text)).entity(named: "Item")?.property(named: "above")
            #expect(above?.relationship?.isAcyclic == isAcyclic)
        }
        let unclear = try refusal(entity("SURE"))
        #expect(unclear.code == .invalidValue && unclear.property == "above")
        #expect(try refusal(entity("YES", "YES")).code == .invalidProperty)
    }

    @Test func `a template's predicate that can't be read is refused with its column`() throws {
        let error = try refusal(
            """
            <entity name="Item"><attribute name="title" attributeType="String"/></entity>
            <fetchRequest name="broken" entity="Item" predicateString="title == == 3"/>
            <fetchRequest name="open" entity="Item" predicateString="title == 'x"/>
            <fetchRequest name="gap" entity="Item" predicateString="title == %@"/>
            <fetchRequest name="fine" entity="Item" predicateString="title == $title"/>
            """)
        #expect(error.all.map(\.code) == Array(repeating: .invalidPredicate, count: 3))
        let broken = try #require(error.all.first { $0.property == "broken" })
        #expect(broken.line == 4 && broken.file == "contents")
        #expect(broken.message.contains("template broken"))
        #expect(broken.message.contains("at column 10"), "\(broken.message)")
        #expect(error.all.compactMap(\.line).sorted() == [4, 5, 6])
    }

    @Test func `the settings of a template are read`() throws {
        let model = try read(
            """
            <entity name="Item"/>
            <fetchRequest name="plain" entity="Item" fetchLimit="7" fetchBatchSize="20" \
            includeSubentities="NO" includesPendingChanges="NO" includePropertyValues="NO" \
            returnObjectsAsFaults="NO" resultType="1"/>
            <fetchRequest name="usual" entity="Item" fetchLimit="0" includeSubentities="YES"/>
            """)
        var plain = FetchRequestTemplate("plain", entity: "Item", fetchLimit: 7)
        plain.fetchBatchSize = 20
        plain.includesSubentities = false
        plain.includesPendingChanges = false
        plain.includesPropertyValues = false
        plain.returnsObjectsAsFaults = false
        #expect(model.fetchRequestTemplate(named: "plain") == plain)
        #expect(
            model.fetchRequestTemplate(named: "usual")
                == FetchRequestTemplate("usual", entity: "Item"))
        #expect(
            model.warnings.filter { $0.entity == "Item" }.map(\.message)
                == ["The fetch request template plain loses its resultType: 1."])
        let error = try refusal(
            """
            <entity name="Item"/>
            <fetchRequest name="odd" entity="Item" includeSubentities="MAYBE"/>
            """)
        #expect(error.code == .invalidValue && error.property == "odd" && error.line == 4)
    }

    @Test func `an index of R-tree elements or of another type is created as an ordinary one`()
        throws
    {
        func entity(_ types: String...) -> String {
            let elements = zip(["x", "y"], types).map { name, type in
                "\n<fetchIndexElement property=\"\(name)\" \(type) order=\"ascending\"/>"
            }
            return """
                <entity name="Place">
                <attribute name="x" optional="YES" attributeType="Float"/>
                <attribute name="y" optional="YES" attributeType="Float"/>
                <fetchIndex name="spot">\(elements.joined())</fetchIndex></entity>
                """
        }
        let (tree, binary) = (#"type="RTree""#, #"type="Binary""#)
        for (first, second) in [(tree, binary), (binary, tree), (tree, "")] {
            let error = try refusal(entity(first, second))
            #expect(error.all.map(\.code) == [.invalidProperty])
            #expect(error.entity == "Place" && error.property == "y" && error.line == 8)
            #expect(error.message.contains("index spot"), "\(error.message)")
        }
        let model = try read(entity(tree, tree))
        let index = try #require(try model.required("Place").indexes.first)
        #expect(index.name == "spot" && index.elements.map(\.property.name) == ["x", "y"])
        let warned = model.warnings.filter { $0.code == .ignored }
        #expect(warned.map(\.property) == ["x", "y"])
        #expect(warned.allSatisfy { $0.message.contains("not as an R-tree") })
        #expect(try read(entity(binary, "")).warnings.isEmpty)
    }

    @Test func `a mark that is neither YES nor NO is refused with file, line and name`() throws {
        let error = try refusal(
            """
            <entity name="Item" isAbstract="PERHAPS">
            <attribute name="title" optional="MAYBE" attributeType="String"/>
            <attribute name="size" optional="yes" transient="2" attributeType="Integer 16"/>
            <relationship name="tags" toMany="TRUE" ordered="Ja" destinationEntity="Item"/>
            </entity>
            """)
        let marks = error.all.filter { $0.code == .invalidValue }
        #expect(marks.map(\.line) == [3, 4, 5, 6])
        #expect(marks.map(\.property) == [nil, "title", "size", "tags"])
        #expect(marks.allSatisfy { $0.file == "contents" && $0.entity == "Item" })
        for (mark, words) in zip(
            marks,
            [
                "isAbstract is \"PERHAPS\"", "optional is \"MAYBE\"", "transient is \"2\"",
                "ordered is \"Ja\"",
            ])
        {
            #expect(mark.message.contains(words), "\(mark.message)")
        }
        let fine = try read(
            "<entity name='A'><attribute name='t' optional='' attributeType='String'/></entity>")
        #expect(try !fine.attribute("A", "t").isOptional)
    }

    @Test func `parts of a model file that are ignored without harm give warnings`() throws {
        let warnings = try read(XcodeModelText.everything).warnings
        let ignored = warnings.filter { $0.code == .ignored }.map(\.message)
        #expect(ignored.contains { $0.contains("Index byTags") })
        #expect(warnings.contains { $0.code == .toOneWithoutMaxCount && $0.property == "owner" })
        #expect(warnings.contains { $0.code == .missingInverse && $0.property == "owner" })
    }

    @Test func `keys of the user info say how things merge`() throws {
        let model = try read(
            """
            <entity name="A"><userInfo>\
            <entry key="anabranch.deletePolicy" value="updateWins"/></userInfo>
            <attribute name="n" optional="YES" attributeType="Integer 64"><userInfo>\
            <entry key="anabranch.mergeRule" value="counter"/></userInfo></attribute>
            <attribute name="end" optional="YES" attributeType="Date"><userInfo>\
            <entry key="anabranch.mergeGroup" value="time"/>\
            <entry key="anabranch.wireName" value="until"/></userInfo></attribute>
            <attribute name="start" optional="YES" attributeType="Date"><userInfo>\
            <entry key="anabranch.mergeGroup" value="time"/></userInfo></attribute>
            </entity>
            <entity name="B" parentEntity="A"/>
            <entity name="C"><attribute name="n" optional="YES" attributeType="String"/></entity>
            """)
        #expect(try model.required("B").deletePolicy == .updateWins)
        #expect(try model.required("C").deletePolicy == .deleteWins)
        #expect(try model.attribute("A", "n").wireProperty.rule == .counter)
        #expect(try model.attribute("C", "n").wireProperty.rule == .lastWriter)
        let time = try #require(try model.required("B").attributeGroups.first)
        #expect(time.name == "time")
        #expect(time.members.map(\.attribute.name) == ["start", "end"])
        #expect(time.members.map(\.name) == ["start", "until"])
        for rule in ["lastWriter", "firstWriter", "max", "min", "counter", "keepBoth"] {
            let model = try read(Self.attribute("anabranch.mergeRule", rule))
            #expect("\(try model.attribute("A", "x").wireProperty.rule)" == rule)
        }
        #expect(
            try ManagedObjectModel(canonicalEncoding: model.canonicalEncoding) == model)
    }

    private static func attribute(_ key: String, _ value: String, more: String = "") -> String {
        """
        <entity name="A">
        <attribute name="x" optional="YES" attributeType="Integer 64" \(more)><userInfo>\
        <entry key="\(key)" value="\(value)"/></userInfo></attribute>
        </entity>
        """
    }

    @Test(
        arguments: [
            ("anabranch.mergeRule", "latest", ""), ("anabranch.mergeRule", "text", ""),
            ("anabranch.mergeRule", "group", ""), ("anabranch.mergeRule", "", ""),
            ("anabranch.mergeRule", "counter", #"transient="YES""#),
            ("anabranch.mergeGroup", "g", #"transient="YES""#),
        ])
    func `a key that says what can't be is refused with its line`(
        key: String, value: String, more: String
    ) throws {
        let error = try refusal(Self.attribute(key, value, more: more))
        #expect(error.all.map(\.code) == [.invalidProperty])
        #expect(error.property == "x" && error.line == 4)
    }

    @Test func `a delete policy and a group's name that can't be are refused with their lines`()
        throws
    {
        let policy = try refusal(
            """
            <entity name="A"/>
            <entity name="B"><userInfo><entry key="anabranch.deletePolicy" value="never"/>\
            </userInfo></entity>
            """)
        #expect(policy.all.map(\.code) == [.invalidProperty])
        #expect(policy.entity == "B" && policy.line == 4)
        let name = try refusal(Self.attribute("anabranch.mergeGroup", ""))
        #expect(name.all.map(\.code) == [.invalidName])
        #expect(name.entity == "A" && name.line == 4)
    }

    @Test(
        arguments: [
            ("Integer 32", "NO", .integer(0)), ("Integer 64", "-7", .integer(-7)),
            ("Integer 16", "0.0", .integer(0)), ("Double", "0.5", .double(0.5)),
            ("Integer 64", "9007199254740993.0", .integer(9_007_199_254_740_993)),
            ("Float", "0.1", .double(Double(Float(0.1)))), ("Boolean", "1", .bool(true)),
            ("Boolean", "YES", .bool(true)), ("String", "", .string("")),
            ("URI", "a:b", .uri("a:b")),
        ] as [(String, String, PropertyValue)])
    func `defaults are read by type`(type: String, text: String, expected: PropertyValue) throws {
        let model = try read(
            """
            <entity name="A"><attribute name="x" attributeType="\(type)" \
            defaultValueString="\(text)"/></entity>
            """)
        #expect(try model.attribute("A", "x").defaultValue == expected)
    }

    @Test(
        arguments: [
            (#"attributeType="Composite" composite="C""#, .unknownProperty),
            (#"attributeType="String" derived="YES" derivationExpression="a""#, .invalidDerivation),
            (#"attributeType="String" derived="YES""#, .invalidDerivation),
            (#"attributeType="Rational""#, .invalidProperty), ("", .invalidProperty),
            (#"attributeType="Integer 16" defaultValueString="x""#, .invalidValue),
            (#"attributeType="Integer 16" defaultValueString="40000""#, .invalidValue),
            (#"attributeType="Integer 16" defaultValueString="0x10""#, .invalidValue),
            (#"attributeType="Integer 64" defaultValueString="0.5""#, .invalidValue),
            (#"attributeType="Double" defaultValueString="0x10""#, .invalidValue),
            (#"attributeType="Double" defaultValueString="1e999""#, .invalidValue),
            (#"attributeType="Double" minValueString="x""#, .invalidBounds),
            (#"attributeType="Double" minValueString="0x1""#, .invalidBounds),
            (#"attributeType="Date" defaultDateTimeInterval="0x10""#, .invalidValue),
            (#"attributeType="Date" defaultDateTimeInterval="now""#, .invalidValue),
            (
                #"attributeType="Date" minDateTimeInterval="2" maxDateTimeInterval="1""#,
                .invalidBounds
            ),
            (#"attributeType="String" regularExpressionString="[""#, .invalidRegularExpression),
        ] as [(String, ModelError.Code)])
    func `an attribute that cannot be kept is refused with its line`(
        text: String, code: ModelError.Code
    ) throws {
        let error = try refusal("\n<entity name=\"A\">\n<attribute name=\"x\" \(text)/>\n</entity>")
        #expect(error.all.map(\.code) == [code])
        #expect(error.entity == "A" && error.property == "x")
        #expect(error.file == "contents" && error.line == 5)
    }

    @Test func `an inverse that names another one is left out, with a warning at its line`() throws
    {
        let model = try read(
            """

            <entity name="Artist">
            <relationship name="thumbnail" maxCount="1" destinationEntity="Image" \
            inverseName="owner" inverseEntity="Image"/>
            </entity>
            <entity name="Image">
            <relationship name="owner" maxCount="1" destinationEntity="Artist" \
            inverseName="thumbnail" inverseEntity="Artist"/>
            <relationship name="artist" maxCount="1" destinationEntity="Artist" \
            inverseName="thumbnail" inverseEntity="Artist"/>
            </entity>
            """)
        let image = try #require(model.entity(named: "Image"))
        #expect(image.relationships.map { $0.inverse?.name } == [nil, "thumbnail"])
        let warning = try #require(model.warnings.first { $0.code == .oneSidedInverse })
        #expect(warning.property == "artist" && warning.line == 9)
        #expect(
            warning.message
                == "The relationship Image.artist is read without its inverse Artist.thumbnail, "
                + "which does not name it as its own inverse.")
    }

    @Test func `a transient relationship is read and written`() throws {
        let model = try read(
            """
            <entity name="A">
            <relationship name="r" optional="YES" transient="YES" maxCount="1" \
            deletionRule="Nullify" destinationEntity="A" inverseName="s" inverseEntity="A"/>
            <relationship name="s" optional="YES" transient="YES" toMany="YES" ordered="YES" \
            deletionRule="Nullify" destinationEntity="A" inverseName="r" inverseEntity="A"/>
            </entity>
            """)
        let relationships = try #require(model.entity(named: "A")).relationships
        #expect(relationships.allSatisfy(\.isTransient) && relationships.count == 2)
        let folder = try TemporaryDirectory("anabranch-transient")
        let file = URL(filePath: folder.file("Model.xcdatamodel"))
        try model.write(toXcodeModel: file)
        #expect(try ManagedObjectModel.reading(file).declaration == model.declaration)
    }

    @Test(
        arguments: [
            (#"maxCount="1" ordered="YES" destinationEntity="A""#, .invalidProperty),
            (#"maxCount="1" destinationEntity="B""#, .unknownEntity),
            (#"maxCount="1" deletionRule="Explode" destinationEntity="A""#, .invalidProperty),
            (#"maxCount="many" destinationEntity="A""#, .invalidBounds),
            (#"maxCount="1" destinationEntity="A" inverseEntity="A""#, .inverseMismatch),
            (
                #"maxCount="1" destinationEntity="A" inverseName="q" inverseEntity="A""#,
                .unknownProperty
            ),
        ] as [(String, ModelError.Code)])
    func `a relationship that cannot be kept is refused with its line`(
        text: String, code: ModelError.Code
    ) throws {
        let error = try refusal(
            "\n<entity name=\"A\">\n\n<relationship name=\"r\" \(text)/>\n</entity>")
        #expect(error.all.map(\.code) == [code])
        #expect(error.property == "r" && error.line == 6)
    }

    @Test(
        arguments: [
            ("", nil, nil), (#"valueTransformerName="""#, nil, nil),
            (#"valueTransformerName="Dye""#, "Dye", nil),
            (
                #"valueTransformerName="NSSecureUnarchiveFromData""#, "NSSecureUnarchiveFromData",
                nil
            ),
            (#"customClassName="[String: Set&lt;Int&gt;]""#, nil, "[String: Set<Int>]"),
            (#"valueTransformerName="Dye" attributeValueClassName="Dye""#, "Dye", "Dye"),
            (#"transient="YES" valueTransformerName="Dye""#, "Dye", nil),
        ] as [(String, String?, String?)])
    func `a transformable has the transformer and the class that the file names`(
        text: String, transformer: String?, className: String?
    ) throws {
        let model = try read(
            """
            <entity name="A"><attribute name="x" optional="YES" attributeType="Transformable" \
            defaultValueString="left from another type" \(text)/></entity>
            """)
        let attribute = try model.attribute("A", "x")
        #expect(attribute.type == .transformable && attribute.wireProperty.type == .data)
        #expect(attribute.valueTransformerName == transformer)
        #expect(attribute.declaration.valueClassName == className)
        #expect(attribute.isTransient == text.contains("transient"))
        #expect(attribute.defaultValue == .null)
        #expect(model.warnings.contains { $0.code == .ignored && $0.property == "x" })
    }

    @Test func `a transformer of an attribute of another type is left from before`() throws {
        let model = try read(
            """
            <entity name="A"><attribute name="x" attributeType="String" \
            valueTransformerName="Dye" customClassName="Dye"/></entity>
            """)
        #expect(try model.attribute("A", "x").valueTransformerName == nil)
    }

    @Test func `configurations name entities once`() throws {
        let error = try refusal(
            """
            <entity name="A"/><configuration name="C"><memberEntity name="B"/></configuration>
            <configuration name="C"/>
            """)
        #expect(error.all.map(\.code) == [.unknownEntity, .duplicateName])
    }

    @Test func `damaged and foreign files are refused with their line`() throws {
        func error(_ text: String) throws -> ModelError {
            try #require(throws: ModelError.self) {
                try ManagedObjectModel.reading(xml: Data(text.utf8), file: "contents")
            }
        }
        let damaged = try error("<model>\n<entity>\n</model>")
        #expect(damaged.code == .notAModel && damaged.line == 3)
        #expect(try error("<plist/>").code == .notAModel)
        for foreign in ["", " \n", "{\"entities\": []}", "\u{FEFF}name,age\n"] {
            let refused = try error(foreign)
            #expect(refused.code == .notAModel && refused.message.contains("it is not XML"))
        }
        #expect(try error("\u{FEFF}\n<model>\n").message.contains("its XML is damaged"))
        #expect(try error("bplist00").message.contains("binary"))
        #expect(try error(#"<model type="com.apple.IDECoreDataModeler.DataModel"/>"#).line == 1)
        #expect(
            try error(#"<?xml version="1.0" encoding="UTF-7"?><model/>"#).message.contains("utf-7"))
        let deep = String(repeating: "<a>", count: 100)
        #expect(try error(deep).message.contains("nest"))
    }

    @Test(arguments: [
        "<?xml version=\"1.0\"?><?stylesheet?><model/>", "<?xm?><model/>", "<?xml?><model/>",
        " <?xml version=\"1.0\"?><model/>", "<model><?a b?></model>",
    ])
    func `a processing instruction is refused, where Foundation's parser crashes`(
        _ text: String
    ) throws {
        let error = try #require(throws: ModelError.self) {
            _ = try ManagedObjectModel.reading(xml: Data(text.utf8))
        }
        #expect(error.code == .notAModel)
        #expect(error.message.contains("processing instruction"))
    }

    @Test func `a document type is refused, so entities cannot expand`() throws {
        let text = """
            <?xml version="1.0"?><!DoCtYpE model [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>
            <model>&b;</model>
            """
        let error = try #require(throws: ModelError.self) {
            try ManagedObjectModel.reading(xml: Data(text.utf8))
        }
        #expect(error.message.contains("document type"))
    }
}
