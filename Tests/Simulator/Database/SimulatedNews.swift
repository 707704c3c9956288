import AnabranchServer

/// The announcements of heads on their way between daemons: late, doubled, or lost.
///
/// A daemon that may have lost announcements is told so later, as after a lost connection.
final class SimulatedNews: @unchecked Sendable {
    private let database: SimulatedDatabase
    private var exchanges: [SimulatedExchange] = []
    /// The news that wait for a daemon; `nil` says that announcements may have been lost.
    private var waiting: [(exchange: SimulatedExchange, news: HeadNews?)] = []

    init(_ database: SimulatedDatabase) { self.database = database }

    func makeExchange() -> SimulatedExchange {
        let exchange = SimulatedExchange(self)
        exchanges.append(exchange)
        return exchange
    }

    fileprivate func remove(_ exchange: SimulatedExchange) {
        exchanges.removeAll { $0 === exchange }
        waiting.removeAll { $0.exchange === exchange }
    }

    fileprivate func send(_ news: HeadNews, from sender: SimulatedExchange) {
        for exchange in exchanges where exchange !== sender {
            switch database.isDisturbed ? database.world.number(0..<8) : 7 {
            case 0:
                database.count(.newsLost)
                waiting.append((exchange, nil))
            case 1:
                waiting.append((exchange, news))
                waiting.append((exchange, news))
            default: waiting.append((exchange, news))
            }
        }
    }

    /// Reports to all daemons that announcements may have been lost.
    func reconnect() {
        for exchange in exchanges { waiting.append((exchange, nil)) }
    }

    /// Delivers some of what waits, in any order.
    func deliverSome() {
        let world = database.world
        while !waiting.isEmpty, world.oneIn(2) {
            deliver(waiting.remove(at: world.number(0..<waiting.count)))
        }
    }

    func deliverAll() {
        while !waiting.isEmpty { deliver(waiting.removeFirst()) }
    }

    /// A daemon that can't use the news connects again, and is then told that news may be lost.
    private func deliver(_ next: (exchange: SimulatedExchange, news: HeadNews?)) {
        do {
            try next.exchange.receive?(next.news)
        } catch {
            waiting.append((next.exchange, nil))
        }
    }
}

/// One daemon's end of the announcements.
final class SimulatedExchange: HeadExchange, @unchecked Sendable {
    private let news: SimulatedNews
    fileprivate var receive: (@Sendable (HeadNews?) throws -> Void)?

    fileprivate init(_ news: SimulatedNews) { self.news = news }

    func announce(_ head: HeadNews) { news.send(head, from: self) }

    func listen(_ receive: @escaping @Sendable (HeadNews?) throws -> Void) {
        self.receive = receive
    }

    func close() {
        receive = nil
        news.remove(self)
    }
}
