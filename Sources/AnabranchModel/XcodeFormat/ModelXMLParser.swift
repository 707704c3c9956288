import AnabranchReplication
import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Reads the XML of a model file into elements.
///
/// The parser refuses constructs that no model contains, before it parses the file:
///
/// - A document type, because its entities can expand without end or fetch other files. For the
///   same reason only UTF-8 is read.
/// - A processing instruction after the XML declaration, because Foundation's parser on Linux
///   crashes on one without content.
final class ModelXMLParser: NSObject, XMLParserDelegate {
    /// The greatest nesting of elements; models from Xcode nest five deep.
    private static let deepestNesting = 32
    static let largestByteCount = 64 << 20

    private let file: String
    private var open: [ModelElement] = []
    private var root: ModelElement?
    private var failure: ModelError?

    private init(file: String) { self.file = file }

    /// Parses a file.
    ///
    /// - Parameter file: The path, for errors.
    ///
    /// - Throws: ``ModelError`` with the line at which the XML is damaged.
    static func parse(_ data: Data, file: String) throws(ModelError) -> ModelElement {
        if let objection = objection(to: data) {
            throw ModelError(
                .notAModel, file: file, "Can't read the model file because \(objection).")
        }
        let delegate = ModelXMLParser(file: file)
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        parser.delegate = delegate
        let isWhole = parser.parse()
        if let failure = delegate.failure { throw failure }
        guard isWhole, let root = delegate.root else {
            throw ModelError(
                .notAModel, file: file, line: max(parser.lineNumber, 1),
                "Can't read the model file because its XML is damaged.")
        }
        return root
    }

    private static func objection(to data: Data) -> String? {
        if data.count > largestByteCount { return "it is larger than \(largestByteCount) bytes" }
        if data.starts(with: Array("bplist".utf8)) { return "it is binary, not XML" }
        guard let text = String(validating: data, as: UTF8.self), !data.contains(0) else {
            return "it is not UTF-8 text"
        }
        guard text.utf8.first(where: { !" \t\r\n\u{FEFF}".utf8.contains($0) }) == UInt8(ascii: "<")
        else { return "it is not XML, which begins with '<'" }
        if let head = text.utf8.firstIndex(of: UInt8(ascii: ">")),
            let encoding = declaredEncoding(in: text[..<head]), encoding != "utf-8"
        {
            return "its encoding is \(encoding), not UTF-8"
        }
        if text.utf8.hasProcessingInstruction { return "it has a processing instruction" }
        return text.utf8.hasDocumentType ? "it declares a document type" : nil
    }

    private static func declaredEncoding(in head: Substring) -> String? {
        guard head.contains("<?xml"), let start = head.range(of: "encoding") else { return nil }
        let quoted = head[start.upperBound...].drop { $0 == "=" || $0.isWhitespace }
        guard let quote = quoted.first else { return "" }
        return quoted.dropFirst().prefix { $0 != quote }.lowercased()
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        guard open.count < Self.deepestNesting else {
            failure = ModelError(
                .notAModel, file: file, line: parser.lineNumber,
                "Can't read the model file because elements nest deeper than "
                    + "\(Self.deepestNesting).")
            parser.abortParsing()
            return
        }
        open.append(
            ModelElement(name: elementName, attributes: attributes, line: parser.lineNumber))
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        guard let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }
}

extension String.UTF8View {
    /// True if the text contains "<?" anywhere except in an XML declaration at the beginning.
    fileprivate var hasProcessingInstruction: Bool {
        let mark = Array("<?".utf8)
        let spaces = Array(" \t\r\n".utf8)
        let declaration = Array("<?xml".utf8)
        var rest = starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...]
        let behind = rest.dropFirst(declaration.count)
        if rest.starts(with: declaration), behind.first.map(spaces.contains) ?? false {
            rest = behind
        }
        while let opening = rest.firstIndex(of: mark[0]) {
            rest = rest[opening...]
            if rest.starts(with: mark) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    fileprivate var hasDocumentType: Bool {
        let mark = Array("<!DOCTYPE".utf8)
        var start = startIndex
        while let opening = self[start...].firstIndex(of: mark[0]) {
            if self[opening...].starts(with: mark, by: { $0 & 0xDF == $1 & 0xDF }) { return true }
            start = index(after: opening)
        }
        return false
    }
}
