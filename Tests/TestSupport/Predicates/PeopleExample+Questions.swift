import AnabranchModel
import AnabranchReplication
import Foundation

extension PeopleExample {
    /// The questions of the table in the specification of the object graph, with its numbers.
    public static func questions(_ graph: SampleGraph) -> [Question] {
        texts + numbers + relationships(graph) + notSupportedYet + further(graph)
    }

    private static var numbers: [Question] {
        [
            Question(1, "age > 18", [1, 3]),
            Question(2, "age >= 30 AND age <= 45", [1, 3]),
            Question(4, "age =< 17", [2, 4]),
            Question(5, "age <> 17", [1, 3, 4]),
            Question(7, "(age == 17 OR age == 45) AND active == YES", [3]),
            Question(8, "NOT age > 18 AND active == NO", [2, 4]),
            Question(23, "age BETWEEN {17, 30}", [1, 2]),
            Question(25, "age BETWEEN %@", [[17, 30]], [1, 2]),
            Question(34, "score == 1.5e0", [1]),
            Question(58, "age == 0x11", [2]),
            Question(58, "age == 0o21", [2]),
            Question(58, "age == 0b10001", [2]),
            Question(59, "%K == %d", ["age", 17], [2]),
            Question(59, "%K == %ld", ["age", 17], [2]),
            Question(61, "score > %f", [1.0], [1]),
            Question(62, "active == TRUE", [1, 3]),
            Question(62, "active == YES", [1, 3]),
            Question(62, "active == 1", [1, 3]),
            Question(65, "SELF.age > 18", [1, 3]),
            Question(67, "age > $MIN", variables: ["MIN": 20], [1, 3]),
            Question(75, "#in == 1", [1]),
        ]
    }

    private static var texts: [Question] {
        [
            Question(10, "name == 'anna'", []),
            Question(11, "name ==[c] 'ANNA'", [1]),
            Question(13, "name BEGINSWITH 'B'", [2]),
            Question(14, "name beginswith[c] 'B'", [2, 3]),
            Question(16, "name CONTAINS 'n'", [1, 2]),
            Question(17, "name CONTAINS [cd] 'JO'", [2]),
            Question(19, "name LIKE[c] 'B?B'", [3]),
            Question(20, "name LIKE '*n*'", [1, 2]),
            Question(26, "name IN {'Anna', 'bob'}", [1, 3]),
            Question(28, "name IN %@", [[String]()], []),
            Question(29, "name IN[c] {'ANNA'}", [1]),
            Question(31, "name != nil", [1, 2, 3]),
            Question(32, "email != 'bob@x.com'", [1, 2, 4]),
            Question(64, "email CONTAINS \"'\"", [4]),
            Question(64, "email == 'q\\'uote@x.org'", [4]),
            Question(68, "name == '%@'", []),
        ]
    }

    private static func relationships(_ graph: SampleGraph) -> [Question] {
        let anna = graph.subject(1)
        return [
            Question(35, "boss.name == 'Anna'", [2, 3]),
            Question(37, "boss.boss.name == 'x'", []),
            Question(38, "boss == %@", [anna], [2, 3]),
            Question(38, "boss == %@", [anna?.predicateExpression], [2, 3]),
            Question(40, "ANY cars.maker == 'Fiat'", [1, 3]),
            Question(41, "SOME cars.doors > 4", [1, 3]),
            Question(43, "NONE cars.maker == 'Fiat'", [2, 4]),
            Question(44, "NOT ANY cars.maker == 'Fiat'", [2, 4]),
            Question(
                46, "SUBQUERY(cars, $c, $c.maker == 'Fiat' AND $c.doors == 5).@count > 0", [3]),
            Question(47, "SUBQUERY(reports, $r, $r.age > 18).@count == 1", [1]),
            Question(49, "cars.@count == 0", [2, 4]),
            Question(53, "'Fiat' IN cars.maker", [1, 3]),
            Question(74, "ANY reports.cars.maker == 'Fiat'", [1]),
        ]
    }

    private static var notSupportedYet: [Question] {
        [
            Question(22, "name MATCHES 'nn'", nil),
            Question(50, "cars.@sum.doors >= 8", nil),
            Question(52, "cars.@avg.doors == 4", nil),
            Question(55, "age + 1 == 31", nil),
            Question(56, "age - 15 == 2 ** 1", nil),
            Question(70, "lowercase(name) == 'anna'", nil),
            Question(71, "length(name) > 4", nil),
            Question(73, "(age & 1) == 1", nil),
        ]
    }

    /// Questions that the table lacks.
    private static func further(_ graph: SampleGraph) -> [Question] {
        let (anna, fiat) = (graph.subject(1), graph.subject(5))
        let stranger = PredicateConstant.object(PredicateObjectReference(record: 1, store: "other"))
        return [
            Question(101, "NOT (name IN {'Anna', 'bob'})", [2, 4]),
            Question(101, "name NOT IN {'Anna', 'bob'}", [2, 4]),
            Question(102, "NOT (name BEGINSWITH 'A')", [2, 3, 4]),
            Question(103, "ALL cars.maker == 'Fiat'", [2, 3, 4]),
            Question(104, "ALL cars.doors > 2 AND cars.@count > 0", [1, 3]),
            Question(105, "SELF == %@", [anna], [1]),
            Question(106, "SELF IN %@", [[anna]], [1]),
            Question(106, "NOT (SELF IN %@)", [[anna]], [2, 3, 4]),
            Question(107, "boss IN %@", [[anna]], [2, 3]),
            Question(108, "cars CONTAINS %@", [fiat], [1]),
            Question(108, "%@ IN cars", [fiat], [1]),
            Question(108, "ANY cars == %@", [fiat], [1]),
            Question(109, "boss == nil", [1, 4]),
            Question(109, "boss.name != 'Anna'", [1, 4]),
            Question(110, "boss == %@", [stranger], []),
            Question(110, "boss != %@", [stranger], [1, 2, 3, 4]),
            Question(111, "age < 17.5", [2, 4]),
            Question(111, "age IN {17, 30.0, 0.5}", [1, 2]),
            Question(112, "price == 19.99", [1]),
            Question(112, "price BETWEEN {19, 20}", [1]),
            Question(113, "ratio == 0.1", [1]),
            Question(114, "home == 'http://anna.example/'", [1]),
            Question(114, "home ENDSWITH 'example/'", [1]),
            Question(115, "email ENDSWITH '.org'", [1, 4]),
            Question(115, "email ENDSWITH[c] 'X.ORG'", [1, 4]),
            Question(116, "email BEGINSWITH name", [3]),
            Question(116, "email BEGINSWITH[c] name", [1, 3]),
            Question(116, "email ENDSWITH name OR email CONTAINS[c] name", [1, 3]),
            Question(117, "name BEGINSWITH ''", [1, 2, 3]),
            Question(118, "name IN {nil, 'bob'}", [3, 4]),
            Question(119, "age > nil OR name < nil", []),
            Question(120, "score < age", [1, 3]),
            Question(121, "boss.cars.@count == 0", []),
            Question(121, "boss.cars.@count == 2", [2, 3]),
            Question(122, "ANY boss.reports.age == 17", [2, 3]),
            Question(123, "SUBQUERY(reports, $r, $r.boss == SELF).@count == 2", [1]),
            Question(
                124,
                "SUBQUERY(reports, $r, ANY $r.cars.doors == 5 AND $r.age > SELF.age).@count > 0",
                [1]),
            Question(125, "name IN 'Anna and bob'", [1, 3]),
            Question(126, "age IN {SELF.age, 3} AND name == 'bob'", [3]),
            Question(127, "TRUEPREDICATE", [1, 2, 3, 4]),
            Question(127, "name == nil OR FALSEPREDICATE", [4]),
            Question(128, "1 == 1 AND 'a' BEGINSWITH 'a'", [1, 2, 3, 4]),
            Question(129, "name LIKE 'B\\\\?*'", []),
            Question(130, "17 < age", [1, 3]),
            Question(131, "name > 'Anna'", [2, 3]),
            Question(132, "ANY cars.maker IN %@", [["BMW", "VW"]], [1]),
            Question(133, "NONE reports.active == NO", [2, 3, 4]),
        ]
    }
}
