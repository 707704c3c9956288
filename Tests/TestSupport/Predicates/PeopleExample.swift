package import AnabranchModel
import AnabranchReplication

/// The people and cars on which every example of the predicate language has a known answer.
package enum PeopleExample {
    /// Creates the model of the people and cars.
    package static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64, optional: false, default: 0)
                AttributeDeclaration("email", .string)
                AttributeDeclaration("score", .double)
                AttributeDeclaration("active", .boolean, optional: false, default: false)
                AttributeDeclaration("in", .integer16)
                AttributeDeclaration("price", .decimal)
                AttributeDeclaration("ratio", .float)
                AttributeDeclaration("born", .date)
                AttributeDeclaration("key", .uuid)
                AttributeDeclaration("home", .uri)
                AttributeDeclaration("photo", .binary)
                AttributeDeclaration("passing", .string, transient: true)
                RelationshipDeclaration("boss", to: "Person", inverse: "reports")
                RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
                RelationshipDeclaration("cars", toMany: "Car", inverse: "owner")
                IndexDeclaration("byAge", on: "age")
                IndexDeclaration("byName", on: "name")
            }
            EntityDeclaration("Car") {
                AttributeDeclaration("maker", .string)
                AttributeDeclaration("doors", .integer16)
                RelationshipDeclaration("owner", to: "Person", inverse: "cars")
            }
        }
    }

    /// Returns the example's objects: P1…P4 have the IDs 1…4, the cars 5…7.
    package static func graph() throws -> SampleGraph {
        let graph = SampleGraph(try model())
        graph.insert(
            "Person", id: 1,
            [
                "name": .string("Anna"), "age": .integer(30), "email": .string("anna@x.org"),
                "score": .double(1.5), "active": .bool(true), "in": .integer(1),
                "price": .decimal(ExactDecimal("19.99") ?? .zero),
                "ratio": .double(Double(Float(0.1))), "home": .uri("http://anna.example/"),
            ])
        graph.insert(
            "Person", id: 2,
            [
                "name": .string("Björn"), "age": .integer(17), "active": .bool(false),
                "boss": .integer(1),
            ])
        graph.insert(
            "Person", id: 3,
            [
                "name": .string("bob"), "age": .integer(45), "email": .string("bob@x.com"),
                "score": .double(-2), "active": .bool(true), "boss": .integer(1),
            ])
        graph.insert(
            "Person", id: 4,
            [
                "age": .integer(0), "email": .string("q'uote@x.org"), "score": .double(0),
                "active": .bool(false),
            ])
        for (id, maker, doors, owner) in [(5, "Fiat", 3, 1), (6, "BMW", 5, 1), (7, "Fiat", 5, 3)] {
            graph.insert(
                "Car", id: Int64(id),
                [
                    "maker": .string(maker), "doors": .integer(Int64(doors)),
                    "owner": .integer(Int64(owner)),
                ])
        }
        return graph
    }

    /// A predicate and the people that match it.
    package struct Question {
        /// The number in the table.
        package let number: Int
        /// The predicate's format.
        package let format: String
        /// The arguments of the format.
        package let arguments: [(any PredicateArgument)?]
        /// The values of the predicate's variables.
        package let variables: [String: (any PredicateArgument)?]
        /// The IDs of the people that match; `nil` for a valid predicate that is not supported yet.
        package let answer: Set<Int64>?

        init(
            _ number: Int, _ format: String, variables: [String: (any PredicateArgument)?] = [:],
            _ answer: Set<Int64>?
        ) {
            self.init(number, format, [], variables: variables, answer)
        }

        init(
            _ number: Int, _ format: String, _ arguments: [(any PredicateArgument)?],
            variables: [String: (any PredicateArgument)?] = [:], _ answer: Set<Int64>?
        ) {
            self.number = number
            self.format = format
            self.arguments = arguments
            self.variables = variables
            self.answer = answer
        }

        /// Returns the predicate of the format and its arguments.
        package func predicate() throws -> FetchPredicate {
            try FetchPredicate(format: format, arguments: arguments)
        }
    }
}
