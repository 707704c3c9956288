import AnabranchStore
import Observation

/// The observations of the objects of a context, by property.
///
/// Every read asks a registrar of the Observation framework for tracking, and so the registrar
/// must exist before an observer does. A registrar per object would cost more than the object.
/// Here 64 consecutive records share one, which is created at the first read of one of them, and a
/// key path names record and slot. All pages use the same key paths, each created once.
final class ObjectObservation {
    /// The registrar of 64 consecutive records.
    private final class Page: Observable {
        let registrar = ObservationRegistrar()

        /// A subscript that only serves to form key paths.
        subscript(place place: Int) -> Int { place }
    }

    private var pages: [Int64: Page] = [:]
    /// The key paths, by slot · 64 + index on the page.
    private var keyPaths: [KeyPath<Page, Int>?] = []
    private var pageLimit = 64
    /// The number of unfinished calls of `beginHolding()`.
    private var holders = 0
    private var heldBack: [(page: Page, keyPath: KeyPath<Page, Int>)] = []

    var pageCount: Int { pages.count }

    /// Registers the read of a property. Within a tracking scope its next change is then reported.
    ///
    /// - Parameter isInUse: Returns true if a page has objects; called when there are many pages.
    func reportAccess(_ slot: Int, of id: LocalID, isInUse: (Int64) -> Bool) {
        let number = IdentityPage.number(of: id)
        let page = pages[number] ?? addPage(number, isInUse: isInUse)
        page.registrar.access(page, keyPath: keyPath(slot, id))
    }

    /// Reports that a property has another value, or is about to get one.
    func reportChange(_ slot: Int, of id: LocalID) {
        guard let page = pages[IdentityPage.number(of: id)] else { return }
        reportChange(slot, of: id, on: page)
    }

    /// Reports that all properties may have other values.
    func reportChanges(of id: LocalID, slots: Range<Int>) {
        guard let page = pages[IdentityPage.number(of: id)] else { return }
        for slot in slots { reportChange(slot, of: id, on: page) }
    }

    /// Holds reports back until `endHolding()` was called as often.
    func beginHolding() { holders += 1 }

    /// Sends the reports that were held back. An observer may read and change objects.
    func endHolding() {
        holders -= 1
        guard holders == 0, !heldBack.isEmpty else { return }
        let told = heldBack
        heldBack = []
        for (page, keyPath) in told { page.registrar.withMutation(of: page, keyPath: keyPath) {} }
    }

    private func reportChange(_ slot: Int, of id: LocalID, on page: Page) {
        let place = Self.place(slot, id)
        // Without a key path the property was never read.
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
