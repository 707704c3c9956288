import TestSupport
import Testing

@Suite struct HexDumpTests {
    @Test func `a short row keeps its characters in their column`() {
        let expected = """
            00000000  41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f 50  |ABCDEFGHIJKLMNOP|
            00000010  00 ff                                            |..|

            """
        #expect(HexDump.text(of: Array("ABCDEFGHIJKLMNOP".utf8) + [0, 255]) == expected)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 300])
    func `reading a dump gives its bytes`(_ count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        #expect(HexDump.bytes(of: HexDump.text(of: bytes)) == bytes)
    }

    @Test(arguments: ["x\n", "00000001  41\n", "00000000  4\n", "00000000  41 |B|\n"])
    func `text that is no dump is refused`(_ text: String) {
        #expect(HexDump.bytes(of: text) == nil)
    }
}
