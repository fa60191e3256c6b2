extension [UInt8] {
    /// Returns whether some bytes occur in these. Most bytes of JSON differ from the last one that is compared.
    package func contains(bytes: [UInt8]) -> Bool {
        guard let last = bytes.last, count >= bytes.count else { return bytes.isEmpty }
        return withUnsafeBufferPointer { all in
            bytes.withUnsafeBufferPointer { wanted in
                // The byte before the last: the last one is a quote in every JSON text.
                let probe = Swift.max(0, wanted.count - 2)
                for start in 0...all.count - wanted.count
                where all[start + probe] == wanted[probe] && all[start + wanted.count - 1] == last {
                    if all[start..<start + wanted.count].elementsEqual(wanted) { return true }
                }
                return false
            }
        }
    }
}
