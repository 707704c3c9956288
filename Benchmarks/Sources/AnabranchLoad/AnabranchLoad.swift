import Foundation

/// Measures what a daemon carries, with real processes over the loopback address.
@main
struct AnabranchLoad {
    static let usage = """
        Usage: AnabranchLoad [--store LOCATION] [--seconds N] [--connections N] [MEASUREMENT]...

        Starts a daemon and measures it. The store is a directory or a PostgreSQL database; without
        --store it is a temporary directory. The figures come with the number of flushes a second
        of the disk, measured in the same run.

          push       pushes of one record from 64 connections into one zone
          zones      pushes of one record into 1,000 zones
          many       one record into each of 100,000 zones; only if named
          history    pulls of the newest entries behind 1,000 and behind many entries; only if named
          saturation one zone that is saturated beside a quiet one, then also a large snapshot;
                     only if named
          pull       records a second that clients pull
          listeners  10,000 idle event streams: memory, and a save that reaches all of them

          --seconds N      length of each measurement; 10
          --entries N      length of the log of the measurement history; 10000000
          --connections N  number of connections that push; 64
        """

    static func main() {
        do {
            let options = try LoadOptions(Array(CommandLine.arguments.dropFirst()))
            guard !options.wantsHelp else { return print(usage) }
            try run(options)
        } catch let error as LoadError {
            try? FileHandle.standardError.write(contentsOf: Data("AnabranchLoad: \(error)\n".utf8))
            exit(error.status)
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("AnabranchLoad: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ options: LoadOptions) throws {
        signal(SIGPIPE, SIG_IGN)
        let target = try LoadTarget(options)
        defer { target.stop() }
        let flushes = try FlushRate.measure(in: target.folder)
        report("flushes of the disk", "\(flushes) /s")
        for measurement in options.measurements {
            switch measurement {
            case .push: try PushLoad.run(target, options, zones: 1, flushes)
            case .zones: try PushLoad.run(target, options, zones: 1000, flushes)
            case .many: try ManyZonesLoad.run(target, options)
            case .history: try HistoryLoad.run(target, options)
            case .saturation: try SaturationLoad.run(target, options)
            case .pull: try PullLoad.run(target, options)
            case .listeners: try ListenerLoad.run(target, options)
            }
        }
    }

    static func report(_ name: String, _ figure: String) {
        print(name.padding(toLength: 56, withPad: " ", startingAt: 0) + figure)
        fflush(nil)
    }
}

/// An error of the command line or of a measurement.
struct LoadError: Error, CustomStringConvertible {
    let description: String
    var status: Int32 = 1
    init(_ description: String, status: Int32 = 1) {
        self.description = description
        self.status = status
    }
}

/// The options of a run.
struct LoadOptions {
    enum Measurement: String, CaseIterable {
        case push, zones, many, history, saturation, pull, listeners
    }

    var store: String?
    var seconds = 10
    var connections = 64
    var entries = 10_000_000
    var measurements: [Measurement] = []
    var wantsHelp = false

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func number(_ option: String) throws -> Int {
            guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else {
                throw LoadError("The option \(option) takes a number above zero.", status: 64)
            }
            return value
        }
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h": wantsHelp = true
            case "--seconds": seconds = try number(word)
            case "--connections": connections = try number(word)
            case "--entries": entries = try number(word)
            case "--store":
                guard let value = rest.popFirst() else {
                    throw LoadError("The option --store takes a location.", status: 64)
                }
                store = value
            default:
                guard let measurement = Measurement(rawValue: word) else {
                    throw LoadError("There is no measurement \(word).", status: 64)
                }
                measurements.append(measurement)
            }
        }
        if measurements.isEmpty { measurements = [.push, .zones, .pull, .listeners] }
    }
}

/// The number of times a second that the disk confirms 4 KiB.
enum FlushRate {
    static func measure(in folder: String) throws -> Int {
        let path = "\(folder)/flush"
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        guard file >= 0 else { throw LoadError("Can't write \(path).") }
        defer {
            close(file)
            unlink(path)
        }
        let page = [UInt8](repeating: 7, count: 4096)
        let start = ContinuousClock.now
        var count = 0
        while ContinuousClock.now - start < .seconds(2) {
            guard pwrite(file, page, page.count, off_t(count % 1000 * 4096)) == page.count,
                fdatasync(file) == 0
            else { throw LoadError("Can't flush \(path).") }
            count += 1
        }
        return count / 2
    }
}
