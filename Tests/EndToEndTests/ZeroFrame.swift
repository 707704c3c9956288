/// A zstd frame of zeros, which is 32,000 times smaller than what it stands for.
enum ZeroFrame {
    private static let largestBlock = 1 << 17

    static func bytes(mebibytes: Int) -> [UInt8] {
        var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 0x50]
        let blocks = (mebibytes << 20) / largestBlock
        for number in 1...blocks {
            let header = UInt32(largestBlock << 3 | 1 << 1 | (number == blocks ? 1 : 0))
            frame += [0, 8, 16].map { UInt8(truncatingIfNeeded: header >> $0) } + [0]
        }
        return frame
    }
}
