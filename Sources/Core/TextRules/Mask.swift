/// Replaces parts of a text by asterisks.
enum Mask {
    /// Replaces each character that a place touches by one asterisk. Characters that nobody sees are removed there; everything else
    /// stays as it is.
    ///
    /// - Parameter places: In bytes of UTF-8, in any order. They may overlap.
    static func apply(_ places: [Range<Int>], to text: String) -> String {
        let places = places.sorted { $0.lowerBound < $1.lowerBound }
        var masked = ""
        masked.reserveCapacity(text.utf8.count)
        var next = 0
        var end = 0
        var place = 0
        for character in text {
            let start = place
            place += character.utf8.count
            while next < places.count, places[next].lowerBound < place {
                end = max(end, places[next].upperBound)
                next += 1
            }
            if start >= end {
                masked.append(character)
            } else if !character.unicodeScalars.allSatisfy(FoldedText.isInvisible) {
                masked.append("*")
            }
        }
        return masked
    }
}
