import TestSupport
import Testing

@Suite struct LineDifferenceTests {
    @Test func `equal lines far from a change are only counted`() {
        let old = (1...12).map(String.init).joined(separator: "\n")
        let new = old.split(separator: "\n").map { $0 == "6" ? "six" : $0 }.joined(separator: "\n")
        let expected = """
              … 2 equal lines
              3
              4
              5
            - 6
            + six
              7
              8
              9
              … 3 equal lines
            """
        #expect("\(LineDifference(from: old, to: new))" == expected)
    }

    @Test func `lines only added or only removed`() {
        #expect("\(LineDifference(from: "a", to: "a\nb"))" == "  a\n+ b")
        #expect("\(LineDifference(from: "a\nb", to: "b"))" == "- a\n  b")
    }
}
