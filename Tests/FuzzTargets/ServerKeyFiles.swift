// Compiled together with KeyFile, KeyRing, APIKey and KeyScope of API, with WireProtocol as a module, by Tests/fuzz.
//
//     the file's text

import Foundation

/// Yields keys or a reason, never a trap. Foundation's parser reads an accepted file as a list of as many objects with
/// the same names, scopes and expiries. No reason repeats anything that could be a key.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzServerKeyFiles(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    let parsed = try? JSONSerialization.jsonObject(with: Data(bytes))
    do throws(KeyFile.Invalid) {
        let keys = try KeyFile.keys(bytes)
        precondition(keys.count <= KeyFile.mostKeys, "too many")
        precondition(Set(keys.map(\.id)).count == keys.count, "two of a name")
        // Foundation is stricter about lone surrogates and nesting.
        guard let objects = parsed as? [[String: Any]] else { return 0 }
        precondition(objects.count == keys.count, "another number")
        for (object, key) in zip(objects, keys) {
            precondition(object["id"] as? String == key.id, "another name")
            precondition(Set(object["scopes"] as? [String] ?? []) == Set(key.scopes.map(\.rawValue)), "other scopes")
            precondition((object["expires_at"] as? NSNumber)?.int64Value == key.expiresAt, "another end")
            precondition((object["key"] is String) != (object["sha256"] is String), "both or none")
        }
    } catch {
        guard let objects = parsed as? [[String: Any]] else { return 0 }
        for case let key as String in objects.map({ $0["key"] }) where key.utf8.count >= APIKey.keyBytes {
            precondition(!error.description.contains(key), "the reason holds the key")
        }
    }
    return 0
}
