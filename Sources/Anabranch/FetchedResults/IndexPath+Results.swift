#if !canImport(UIKit) && !canImport(AppKit)
    public import Foundation

    // The members that UIKit and AppKit declare, for platforms without them.
    extension IndexPath {
        /// Creates the index path of an object in a section.
        public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

        /// The index of the section; −1 for an empty path.
        public var section: Int { isEmpty ? -1 : self[0] }
        /// The index of the object in its section; −1 for a path without a second index.
        public var item: Int { count < 2 ? -1 : self[1] }
    }
#endif
