/// Events in the order of their times, as a binary heap.
struct EventQueue<Event> {
    private var heap: [(time: Double, event: Event)] = []

    mutating func add(_ event: Event, at time: Double) {
        heap.append((time, event))
        var place = heap.count - 1
        while place > 0, heap[place].time < heap[(place - 1) / 2].time {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Removes the first event.
    mutating func next() -> (time: Double, event: Event)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if heap[child].time < heap[least].time { least = child }
            }
            guard least != place else { return first }
            heap.swapAt(place, least)
            place = least
        }
    }
}

/// Cores that work on what waits, in the order of arrival.
struct Cores<Work> {
    private var free: Int
    private var waiting: [Work] = []
    private var first = 0
    /// The time that all cores together have worked, in seconds.
    private(set) var worked = 0.0

    init(_ count: Int) { free = count }

    /// - Returns: The work to begin now; `nil` if it waits.
    mutating func take(_ work: Work) -> Work? {
        guard free > 0 else {
            waiting.append(work)
            return nil
        }
        free -= 1
        return work
    }

    /// Ends a work.
    ///
    /// - Returns: The work to begin now.
    mutating func end(after seconds: Double) -> Work? {
        worked += seconds
        guard first < waiting.count else {
            free += 1
            return nil
        }
        let work = waiting[first]
        first += 1
        if first > 4096, first * 2 > waiting.count {
            waiting.removeFirst(first)
            first = 0
        }
        return work
    }
}
