// Giving up what nobody holds, in proportion to what was registered and what is given up.
extension IdentityMap {
    /// How many objects a turn looks at for nothing.
    static let objectsOfTurn = 64

    /// Gives up objects that nobody else holds, but those that may not go: all of what was noted
    /// since the last time, and of the others those that a turn finds.
    ///
    /// A turn looks at a page or two where the last one ended, and goes on for as long as
    /// it finds something: what is given up pays for what is looked at. So a map that has lost
    /// most of its holders is emptied at once, one whose objects are all in use costs next to
    /// nothing, and a map of 100,000 has looked at every object after some 1,600 turns.
    ///
    /// - Returns: The objects, for the caller to drop: their deinit may run code of the app.
    mutating func removeSomeUnheld(except isKept: (ManagedObject) -> Bool) -> [ManagedObject] {
        var removed: [ManagedObject] = []
        let numbers = recent
        recent = []
        for number in numbers {
            let place = place(of: number)
            guard pages[place] != nil else { continue }
            pages[place]?.isRecent = false
            removeUnheld(at: place, except: isKept, into: &removed)
        }
        takeTurn(except: isKept, into: &removed)
        shrinkIfSparse()
        return removed
    }

    /// As ``removeSomeUnheld(except:)``, but of all objects.
    mutating func removeUnheld(except isKept: (ManagedObject) -> Bool) -> [ManagedObject] {
        var removed: [ManagedObject] = []
        recent = []
        for place in 0..<capacity {
            pages[place]?.isRecent = false
            // Another page may move up into the place of one that goes.
            while removeUnheld(at: place, except: isKept, into: &removed) {}
        }
        shrinkIfSparse()
        return removed
    }

    private mutating func takeTurn(
        except isKept: (ManagedObject) -> Bool, into removed: inout [ManagedObject]
    ) {
        var seen = 0
        var most = Self.objectsOfTurn
        for _ in 0..<capacity where seen < most {
            turn = (turn + 1) & mask
            repeat {
                seen += 1 + (pages[turn]?.count ?? 0)
                let before = removed.count
                let isGone = removeUnheld(at: turn, except: isKept, into: &removed)
                most += (removed.count - before) * 4
                if !isGone { break }
            } while true
        }
    }

    /// - Returns: Whether the page is gone, and another one perhaps in its place.
    @discardableResult
    private mutating func removeUnheld(
        at place: Int, except isKept: (ManagedObject) -> Bool,
        into removed: inout [ManagedObject]
    ) -> Bool {
        guard pages[place] != nil else { return false }
        let before = removed.count
        pages[place]?.removeAll(
            where: { !isKept($0) && isKnownUniquelyReferenced(&$0) }, into: &removed)
        count -= removed.count - before
        guard pages[place]?.count == 0 else { return false }
        removePage(at: place)
        return true
    }

    private mutating func shrinkIfSparse() {
        if capacity > 64, pageCount * 8 < capacity { resize(capacity: pageCount * 2) }
    }
}
