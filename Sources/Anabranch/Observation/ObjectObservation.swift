import AnabranchStore
import Observation

/// Who observes which property of which object of a context.
///
/// A registrar of the Observation framework is asked at every read whether somebody is looking,
/// so it has to be there before anybody looks. One for each object would cost more than the
/// object: here 64 records have one, made when the first of them is read, and a key path names
/// record and slot. The key paths are the same for every 64 records, and made once.
final class ObjectObservation {
    /// What 64 records that follow one another are observed by.
    private final class Page: Observable {
        let registrar = ObservationRegistrar()

        /// Exists to be named by key paths.
        subscript(place place: Int) -> Int { place }
    }

    private var pages: [Int64: Page] = [:]
    /// By slot · 64 + place on the page.
    private var keyPaths: [KeyPath<Page, Int>?] = []
    private var pageLimit = 64
    /// Who holds back what is to be told.
    private var holders = 0
    private var heldBack: [(page: Page, keyPath: KeyPath<Page, Int>)] = []

    var pageCount: Int { pages.count }

    /// Somebody reads a property. Within a tracking scope he is told of its next change.
    ///
    /// - Parameter isInUse: Whether there are objects on a page; asked where there are many.
    func noteAccess(_ slot: Int, of id: LocalID, isInUse: (Int64) -> Bool) {
        let number = IdentityPage.number(of: id)
        let page = pages[number] ?? addPage(number, isInUse: isInUse)
        page.registrar.access(page, keyPath: keyPath(slot, id))
    }

    /// A property has another value, or will have it in a moment.
    func noteChange(_ slot: Int, of id: LocalID) {
        guard let page = pages[IdentityPage.number(of: id)] else { return }
        noteChange(slot, of: id, on: page)
    }

    /// All properties may have other values.
    func noteChanges(of id: LocalID, slots: Range<Int>) {
        guard let page = pages[IdentityPage.number(of: id)] else { return }
        for slot in slots { noteChange(slot, of: id, on: page) }
    }

    /// Holds changes back until ``endHolding()`` was called as often.
    func beginHolding() { holders += 1 }

    /// Tells what was held back; whoever is told may read, and change, what he likes.
    func endHolding() {
        holders -= 1
        guard holders == 0, !heldBack.isEmpty else { return }
        let told = heldBack
        heldBack = []
        for (page, keyPath) in told { page.registrar.withMutation(of: page, keyPath: keyPath) {} }
    }

    private func noteChange(_ slot: Int, of id: LocalID, on page: Page) {
        let place = Self.place(slot, id)
        // Without a key path nobody has read it yet.
        guard keyPaths.indices.contains(place), let keyPath = keyPaths[place] else { return }
        guard holders == 0 else { return heldBack.append((page, keyPath)) }
        page.registrar.withMutation(of: page, keyPath: keyPath) {}
    }

    private static func place(_ slot: Int, _ id: LocalID) -> Int { slot << 6 | Int(id & 63) }

    private func keyPath(_ slot: Int, _ id: LocalID) -> KeyPath<Page, Int> {
        let place = Self.place(slot, id)
        if keyPaths.count <= place {
            keyPaths += Array(repeating: nil, count: (slot + 1) << 6 - keyPaths.count)
        }
        if let keyPath = keyPaths[place] { return keyPath }
        let keyPath: KeyPath<Page, Int> = \Page.[place: place]
        keyPaths[place] = keyPath
        return keyPath
    }

    private func addPage(_ number: Int64, isInUse: (Int64) -> Bool) -> Page {
        if pages.count >= pageLimit {
            pages = pages.filter { isInUse($0.key) }
            pageLimit = max(64, pages.count * 2)
        }
        let page = Page()
        pages[number] = page
        return page
    }
}
