/// The links in a text: addresses with a scheme, and names that clients make a link of.
///
/// E-mail addresses are no links. A name without a scheme is a link if it begins with `www.`, has a port or a path, or ends in a
/// country's domain or another common one; otherwise it is only possibly a link, such as `readme.swift`.
struct Links {
    struct Link {
        /// Readings of the name. There are two if letters of a script without spaces touch Latin ones, where a name may begin or end.
        /// Empty if an address has none, such as one with an IPv6 address.
        let names: [DomainName]
        let isCertain: Bool
        /// The link with its path in the original text, in bytes of UTF-8.
        let place: Range<Int>
    }

    private(set) var links: [Link] = []

    /// Returns whether a plain ASCII text may have a link.
    static func mayOccur(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in bytes {
            if previous == dot, byte > 0x2F { return true }
            if previous == colon, byte == slash || byte == backslash { return true }
            previous = byte
        }
        return false
    }

    /// Returns the same for any text: whether it has a colon, or one of the dots that browsers accept, or a character whose encoding
    /// begins like theirs.
    static func mayOccur(inAny bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in bytes {
            switch (previous, byte) {
            case (_, dot), (_, colon), (0xE2, 0x80), (0xE3, 0x80), (0xEF, 0xBC), (0xEF, 0xBD): return true
            default: previous = byte
            }
        }
        return false
    }

    init(_ text: VisibleText) {
        var scanner = LinkScanner(bytes: text.bytes)
        scanner.scan()
        links = scanner.found.map { link in
            Link(names: link.names, isCertain: link.isCertain, place: text.original(link.range))
        }
    }

    fileprivate static let dot = UInt8(ascii: ".")
    fileprivate static let colon = UInt8(ascii: ":")
    fileprivate static let slash = UInt8(ascii: "/")
    fileprivate static let backslash = UInt8(ascii: "\\")
    fileprivate static let at = UInt8(ascii: "@")
}

private struct LinkScanner {
    let bytes: [UInt8]
    var found: [(names: [DomainName], isCertain: Bool, range: Range<Int>)] = []
    /// The end of the last link. Names before it are part of a path, addresses are not.
    private var linkEnd = 0
    /// Where the last path was searched, and its end before and after trimming: a text may begin thousands of addresses
    /// in one path.
    private var lastPath = (start: 0, stop: 0, end: 0)

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func scan() {
        var index = 0
        while index < bytes.count {
            if bytes[index] == Links.colon, let next = scanAddress(colon: index) {
                index = next
            } else if let end = nameEnd(from: index) {
                scanName(index..<end)
                index = end
            } else {
                index += scalar(at: index).1
            }
        }
    }

    // MARK: With a scheme

    /// Schemes whose slashes browsers do without, and take backslashes for. URL Standard §4.4.
    private static let special: Set<String> = ["http", "https", "ws", "wss", "ftp"]

    /// - Returns: The end of the authority; nil if no address has its colon here.
    private mutating func scanAddress(colon: Int) -> Int? {
        var start = colon
        while start > 0, colon - start < 32, Self.isSchemePart(bytes[start - 1]) { start -= 1 }
        while start < colon, !Self.isLetter(bytes[start]) { start += 1 }
        guard start < colon else { return nil }
        let scheme = String(decoding: bytes[start..<colon], as: UTF8.self).lowercased()
        var index = colon + 1
        // Something may touch the scheme, as in `seehttp://…`.
        let isSpecial = Self.special.contains { scheme.hasSuffix($0) }
        let hasSlashes = bytes[index...].starts(with: [Links.slash, Links.slash])
        guard isSpecial || hasSlashes else { return nil }
        while index < bytes.count, bytes[index] == Links.slash || (isSpecial && bytes[index] == Links.backslash) {
            index += 1
        }
        let authority = index..<authorityEnd(from: index)
        guard !authority.isEmpty else { return nil }
        var host = authority
        if let at = bytes[authority].lastIndex(of: Links.at) { host = at + 1..<authority.upperBound }
        if let port = bytes[host].firstIndex(of: Links.colon), bytes[host].first != UInt8(ascii: "[") {
            host = host.lowerBound..<port
        }
        let end = pathEnd(from: authority.lowerBound + 1)
        linkEnd = max(linkEnd, end)
        found.append((names(host, isDecoded: true), true, start..<end))
        return authority.upperBound
    }

    private func authorityEnd(from start: Int) -> Int {
        bytes[start...].firstIndex { byte in
            byte <= 0x20 || [0x22, 0x23, 0x2F, 0x3C, 0x3E, 0x3F, 0x5C, 0x60].contains(byte)
        } ?? bytes.count
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isSchemePart(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E].contains(byte)
    }

    // MARK: Without a scheme

    private mutating func scanName(_ run: Range<Int>) {
        guard run.lowerBound >= linkEnd, bytes[run].contains(Links.dot) else { return }
        let before = run.lowerBound > 0 ? bytes[run.lowerBound - 1] : 0
        let after = run.upperBound < bytes.count ? bytes[run.upperBound] : 0
        guard before != Links.at, after != Links.at else { return }
        var name = run
        while let first = bytes[name].first, Self.isFrame(first) { name.removeFirst() }
        while let last = bytes[name].last, Self.isFrame(last) { name.removeLast() }
        guard bytes[name].contains(Links.dot) else { return }
        let names = names(name, isDecoded: false)
        guard !names.isEmpty else { return }
        let hasPort =
            after == Links.colon && run.upperBound + 1 < bytes.count
            && (0x30...0x39).contains(bytes[run.upperBound + 1])
        let hasPath = after == Links.slash || after == Links.backslash || after == 0x3F || after == 0x23
        let isFollowed = run.upperBound == name.upperBound && (hasPort || hasPath)
        let end = isFollowed ? max(pathEnd(from: run.upperBound), run.upperBound) : name.upperBound
        linkEnd = end
        let isCertain = names.contains { Self.isLink($0, isFollowed: isFollowed && (hasPort || after == Links.slash)) }
        found.append((names, isCertain, name.lowerBound..<end))
    }

    private static func isFrame(_ byte: UInt8) -> Bool { byte == Links.dot || byte == 0x2D || byte == 0x5F }

    private static func isLink(_ name: DomainName, isFollowed: Bool) -> Bool {
        guard let last = name.labels.last, name.labels.count > 1 else { return false }
        if last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return isFollowed && name.labels.count == 4 }
        return isFollowed || name.labels[0] == "www" || TopLevelDomains.contains(last)
    }

    /// - Returns: The end of a run of characters of names and dots; nil if there is none here.
    private func nameEnd(from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            let (scalar, width) = scalar(at: index)
            guard scalar == "." || DomainName.isPart(scalar) else { break }
            index += width
        }
        return index > start ? index : nil
    }

    // MARK: Both

    private func scalar(at index: Int) -> (Unicode.Scalar, Int) {
        let first = UInt32(bytes[index])
        if first < 0x80 { return (Unicode.Scalar(bytes[index]), 1) }
        let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        var value = first & (0x7F >> UInt32(count))
        for offset in 1..<count { value = value << 6 | UInt32(bytes[index + offset] & 0x3F) }
        return (Unicode.Scalar(value) ?? "\u{FFFD}", count)
    }

    /// The end of a link, without the punctuation that ends the sentence.
    private mutating func pathEnd(from start: Int) -> Int {
        if (lastPath.start..<lastPath.stop).contains(start) { return max(lastPath.end, start) }
        let stop = bytes[start...].firstIndex { $0 <= 0x20 || [0x22, 0x3C, 0x3E, 0x60].contains($0) } ?? bytes.count
        var end = stop
        while end > start, [0x21, 0x27, 0x29, 0x2C, 0x2E, 0x3A, 0x3B, 0x3F, 0x5D].contains(bytes[end - 1]) { end -= 1 }
        lastPath = (start, stop, end)
        return end
    }

    private func names(_ range: Range<Int>, isDecoded: Bool) -> [DomainName] {
        var text = String(decoding: bytes[range], as: UTF8.self)
        if isDecoded {
            let scalars = Self.withoutPercents(bytes[range]).unicodeScalars.prefix {
                $0 == "." || DomainName.isPart($0)
            }
            text = String(scalars)
            while let last = text.utf8.last, Self.isFrame(last) { text.removeLast() }
        }
        var readings = [text]
        if text.utf8.contains(where: { $0 >= 0x80 }) {
            let latin = text.unicodeScalars.split { Self.isSpaceless($0) }.map { String($0) }
            if latin.count > 1 || latin.first?.count != text.count { readings += latin.filter { $0.contains(".") } }
        }
        return readings.compactMap { DomainName($0) }
    }

    private static func isSpaceless(_ scalar: Unicode.Scalar) -> Bool {
        (0x2E80...0xA4CF).contains(scalar.value) || (0xAC00...0xD7FF).contains(scalar.value)
            || (0x0E00...0x0EFF).contains(scalar.value) || (0x20000...0x3FFFF).contains(scalar.value)
    }

    /// Browsers decode `%65xample.com`.
    private static func withoutPercents(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(0x25) else { return String(decoding: bytes, as: UTF8.self) }
        var decoded: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == 0x25, index + 2 < bytes.endIndex,
                let value = UInt8(
                    String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
            {
                decoded.append(value)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}

/// The top-level domains in which clients turn a name without a scheme into a link.
enum TopLevelDomains {
    static func contains(_ label: String) -> Bool {
        (label.utf8.count == 2 && label.utf8.allSatisfy { (0x61...0x7A).contains($0) }) || common.contains(label)
    }

    /// The busiest of some 1,400; all countries have two letters.
    private static let common: Set<String> = [
        "academy", "agency", "app", "art", "bar", "bet", "bid", "biz", "blog", "cam", "casino", "cash", "center",
        "chat",
        "click", "cloud", "club", "com", "company", "cyou", "date", "design", "dev", "digital", "download", "edu",
        "email",
        "exchange", "finance", "fit", "fun", "game", "games", "global", "gov", "group", "guru", "host", "icu", "info",
        "ink", "int", "life", "link", "live", "loan", "lol", "ltd", "market", "media", "men", "mil", "mobi", "money",
        "monster", "name", "net", "network", "news", "ninja", "one", "online", "org", "page", "party", "photos", "porn",
        "press", "pro", "pub", "quest", "review", "rocks", "run", "sbs", "services", "sex", "sexy", "shop", "site",
        "social", "solutions", "space", "store", "stream", "studio", "support", "systems", "team", "tech", "tips",
        "today",
        "tools", "top", "trade", "tube", "video", "vip", "wang", "webcam", "website", "wiki", "win", "work", "world",
        "xxx", "xyz", "zip", "zone", "рф", "中国", "公司", "网络", "香港",
    ]
}
