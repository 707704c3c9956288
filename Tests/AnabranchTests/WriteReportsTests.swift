import Testing

@testable import Anabranch

@Suite struct `Reports of writes` {
    /// The times of the looks, in seconds after a report.
    private func looks(_ reports: WriteReports, after report: ContinuousClock.Instant) -> [Double] {
        var (now, looks) = (report, [Double]())
        while let pause = reports.pause(at: now), looks.count < 100 {
            now += pause
            looks.append((now - report) / .seconds(1))
        }
        return looks
    }

    @Test func `a commit that can be seen late is found within twice its time, by few looks`() {
        let begin = ContinuousClock.now
        let reports = WriteReports(beginningAt: begin)
        #expect(looks(reports, after: begin).count < 20, "there may be a write before the begin")
        let later = begin + .seconds(3600)
        #expect(reports.pause(at: later) == nil)
        reports.note(at: later)
        let looks = looks(reports, after: later)
        #expect(looks.count < 20)
        for delay in [0.01, 0.3, 2, 30] {
            #expect(looks.contains { $0 >= delay && $0 <= delay * 2 }, "\(delay) s: \(looks)")
        }
        #expect(reports.pause(at: later + .seconds(61)) == nil)
    }
}
