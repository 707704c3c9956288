import AnabranchModel
import AnabranchReplication
import Foundation

extension PeopleExample {
    /// The questions of the table in the specification of the object graph, with its numbers.
    package static func questions(_ graph: SampleGraph) -> [Question] {
        texts + numbers + relationships(graph) + computed + computedFurther + further(graph)
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

    private static var computed: [Question] {
        [
            Question(22, "name MATCHES 'nn'", []),
            Question(50, "cars.@sum.doors >= 8", [1]),
            Question(52, "cars.@avg.doors == 4", [1]),
            Question(55, "age + 1 == 31", [1]),
            Question(56, "age - 15 == 2 ** 1", [2]),
            Question(70, "lowercase(name) == 'anna'", [1]),
            Question(71, "length(name) > 4", [2]),
            Question(73, "(age & 1) == 1", [2, 3]),
        ]
    }

    /// Questions about computed values that the table lacks.
    private static var computedFurther: [Question] {
        [
            Question(140, "name MATCHES '.*nn.*'", [1]),
            Question(140, "name MATCHES[c] 'B.*'", [2, 3]),
            Question(140, "name MATCHES[d] 'Bjorn'", [2]),
            Question(140, "email MATCHES '.+@x\\\\.(org|com)'", [1, 3, 4]),
            Question(141, "age / 2 == 15", [1]),
            Question(141, "score / 2 == 0.75", [1]),
            Question(141, "age / 0 == nil", [1, 2, 3, 4]),
            Question(141, "modulus:by:(age, 2) == 1", [2, 3]),
            Question(141, "-age == -30 OR ~age == -46", [1, 3]),
            Question(142, "abs(score) == 2", [3]),
            Question(142, "floor(score) == 1 OR ceiling(score) == 2", [1]),
            Question(142, "trunc(score) == 1 AND round(score) == 2", [1]),
            Question(142, "sqrt(age + 6) == 6", [1]),
            Question(142, "exp(score) == 1 AND ln(age + 1) == 0", [4]),
            Question(142, "log(age + 70) == 2", [1]),
            Question(143, "cars.@max.doors == 5", [1, 3]),
            Question(143, "cars.@min.doors == 3", [1]),
            Question(143, "cars.@sum.doors == 0", [2, 4]),
            Question(143, "cars.@avg.doors == nil", [2, 4]),
            Question(143, "boss.cars.@sum.doors == 8", [2, 3]),
            Question(143, "reports.cars.@count == 1", [1]),
            Question(143, "reports.cars.@sum.doors == 5", [1]),
            Question(143, "reports.@max.age == 45", [1]),
            Question(144, "reports.cars.@distinctUnionOfObjects.maker.@count == 1", [1]),
            Question(144, "'BMW' IN cars.@distinctUnionOfObjects.maker", [1]),
            Question(144, "sum(cars.doors) == 8 AND max(reports.age) == 45", [1]),
            Question(144, "median(cars.doors) == 4", [1]),
            Question(144, "mode(cars.doors) == 3", [1]),
            Question(144, "stddev(cars.doors) == 1", [1]),
            Question(144, "count(cars) == 2", [1]),
            Question(145, "max({age, 40}) == 40", [1, 2, 4]),
            Question(145, "sum({age, score}) == 31.5", [1]),
            Question(146, "TERNARY(active == YES, age, 0 - age) < 0", [2]),
            Question(146, "TERNARY(boss == nil, SELF, boss) == boss", [2, 3]),
            Question(147, "CAST(age, 'NSString') BEGINSWITH '4'", [3]),
            Question(147, "CAST(born, 'NSNumber') == nil", [1, 2, 3, 4]),
            Question(147, "CAST('30', 'NSNumber') == age", [1]),
            Question(147, "CAST('0x1e', 'NSNumber') == age", []),
            Question(148, "price > age OR price == nil", [2, 3, 4]),
            Question(148, "price * 2 == 39.98", [1]),
            Question(149, "uppercase(name) == 'BJÖRN' OR canonical(name) == 'bjorn'", [2]),
            Question(149, "name.length == 4", [1]),
            Question(149, "ANY cars.maker.length == 3", [1]),
            Question(150, "SELF.entity.name == 'Person'", [1, 2, 3, 4]),
            Question(150, "boss.entity == 'Person'", [2, 3]),
            Question(150, "ANY cars.entity.name ENDSWITH 'ar'", [1, 3]),
            Question(151, "ANY SUBQUERY(cars, $c, $c.doors > 3).maker == 'Fiat'", [3]),
            Question(151, "SUBQUERY(cars, $c, $c.doors > 3).@sum.doors == 5", [1, 3]),
            Question(151, "SUBQUERY(reports.cars, $c, $c.doors > 3).@count == 1", [1]),
            Question(151, "SELF IN SUBQUERY(boss.reports, $r, $r.age > 18)", [3]),
            Question(152, "SELF IN (boss.reports MINUS boss.boss.reports)", [2, 3]),
            Question(152, "(cars UNION reports.cars).@count == 3", [1]),
            Question(152, "(boss.reports INTERSECT reports).@count == 0", [2, 3]),
            Question(152, "age IN ({17, 30} UNION {45})", [1, 2, 3]),
            Question(152, "ANY (cars UNION boss.cars).maker == 'BMW'", [1, 2, 3]),
            Question(153, "{17, 30}[1] == age", [1]),
            Question(153, "{17, 30}[LAST] == age OR {17, 30}[FIRST] == age", [1, 2]),
            Question(153, "{17, 30}[SIZE] == cars[SIZE]", [1]),
            Question(
                154, "ANY cars.doors > SUBQUERY(reports, $r, $r.age > 18).@count + 3", [1, 3]),
            Question(155, "name ==[cl] 'ANNA' OR name ==[cdl] 'BJORN'", [1, 2]),
            Question(155, "name <[l] 'Björna'", [1, 2]),
            Question(156, "noindex(age) == 30 AND now() > CAST(0, 'NSDate')", [1]),
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
