import Foundation
import TestSupport

/// The faults of a cluster's leader.
enum ClusterFault: String, CaseIterable {
    case killedServer = "servers killed"
    case killedPatroni = "Patronis killed"
    case frozen = "leaders frozen"
    case cutOff = "leaders cut off"
    case cutFromEtcd = "leaders cut off from etcd"
    /// The standbys get nothing for some seconds before the leader's server is killed.
    case killedAfterLag = "servers killed after a lag"
    case switchedOver = "switchovers"

    /// The time in seconds for which the leader stays as the fault made it.
    ///
    /// A leader that is frozen or cut off loses its lease in that time.
    func seconds(using generator: inout SeededGenerator) -> Double {
        switch self {
        case .killedServer, .killedAfterLag, .switchedOver:
            Double.random(in: 2...6, using: &generator)
        case .killedPatroni, .frozen, .cutOff, .cutFromEtcd:
            Double(PatroniNode.leaseSeconds) + Double.random(in: 5...20, using: &generator)
        }
    }

    /// Makes the fault.
    func begin(
        at leader: PatroniNode, of cluster: PatroniCluster, using generator: inout SeededGenerator
    ) throws {
        switch self {
        case .killedServer: leader.killServer()
        case .killedPatroni: leader.killPatroni()
        case .frozen: try leader.freeze()
        case .cutOff:
            leader.set(Bool.random(using: &generator) ? .cut : .refusing)
        case .cutFromEtcd:
            leader.set(Bool.random(using: &generator) ? .cut : .refusing, on: [.etcd])
        case .killedAfterLag:
            leader.set(.cut, on: [.replication])
            usleep(UInt32.random(in: 1_000_000...5_000_000, using: &generator))
            leader.killServer()
        case .switchedOver: try cluster.switchOver()
        }
    }

    /// Ends the fault.
    func end(at leader: PatroniNode) throws {
        switch self {
        case .killedServer, .switchedOver: break
        case .killedPatroni: try leader.startPatroni()
        case .frozen: leader.thaw()
        case .cutOff, .cutFromEtcd, .killedAfterLag: leader.set(.whole)
        }
    }
}
