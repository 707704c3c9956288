import Anabranch
import AnabranchSync
import Foundation

/// A year of one user with forty replicas: as many saves as there are rows, many of them of objects
/// that another replica has changed meanwhile.
///
/// One device is used every day and makes a third of the saves. The others come and go: three of
/// them are used in turns for four weeks, each for a day without a network, and make the rest.
/// At the end of each day both sync. At the end of the year the first device's store should be as
/// good as new.
struct YearBenchmark: Benchmark {
    static let name = "year"
    static let summary = "a year of saves by forty replicas, and a store at its end"

    private static let days = 365
    private static let otherDevices = 39

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let daemon = try workbench.startDaemon()
        defer { daemon.stop() }
        let place = YearDevice.Place(
            address: daemon.address, zone: "year", token: try daemon.token(forZone: "year"))
        let path = workbench.path("device0")
        let first = try YearDevice(path, at: place)
        try first.fill()
        try await first.sync()
        let saves = max(workbench.rows / Self.days, 3)
        var times: [Percentiles] = []
        var memory: [Int] = []
        var conflicts = 0
        for day in 0..<Self.days {
            times.append(Percentiles(try first.use(saves / 3)))
            let number = Self.otherDevice(on: day)
            let other = try YearDevice(workbench.path("device\(number)"), at: place)
            if try other.isEmpty { try await other.sync() }
            _ = try other.use(saves - saves / 3)
            try await other.sync()
            try await first.sync()
            conflicts = max(conflicts, try first.conflictCount())
            memory.append(ProcessMemory.currentBytes)
        }
        return try figures(first, times, memory, conflicts, path)
    }

    /// The number of the other device that is used on a day.
    private static func otherDevice(on day: Int) -> Int {
        let inTurn = 3
        let group = min(day / 28, otherDevices / inTurn - 1)
        return 1 + group * inTurn + day % inTurn
    }

    private func figures(
        _ device: YearDevice, _ times: [Percentiles], _ memory: [Int], _ conflicts: Int,
        _ path: String
    ) throws -> [Figure] {
        func median(_ days: ArraySlice<Percentiles>) -> Double {
            days.map(\.half).median.microseconds
        }
        let (early, late) = (median(times.prefix(30)), median(times.suffix(30)))
        let month = 30
        let growth = Double(memory.last ?? 0) / Double(max(memory[month], 1))
        let sizes = try StoreSizes(path)
        let opening = try device.reopen()
        return [
            Figure("a save in the first month", .amount(early, unit: "µs")),
            Figure(
                "a save in the last month", .amount(late, unit: "µs"), goal: early * 1.2,
                cause: "Something grows with the number of saves."),
            Figure(
                "memory at the end, by that after a month", .amount(growth, unit: "×"), goal: 1.2,
                cause: "Something in memory grows with the number of saves."),
            Figure("conflicts that the journal has", .amount(Double(conflicts), unit: "")),
            Figure("live data", .amount(sizes.live / 1e6, unit: "MB")),
            Figure("pages in use", .amount(sizes.used / 1e6, unit: "MB")),
            Figure("the file", .amount(sizes.file / 1e6, unit: "MB")),
            Figure(
                "the file, by its live data", .amount(sizes.file / sizes.live, unit: "×"), goal: 2,
                cause: sizes.largest),
            Figure(
                "opening", .amount(opening.seconds * 1000, unit: "ms"), goal: 50,
                cause: "Opening reads something that grows."),
        ]
    }
}
