import CEpoll

/// Memory that the program has freed and the allocator keeps.
package enum FreeMemory {
    /// Returns it to the system. Threads that share an arena wait to allocate while it is trimmed.
    ///
    /// Call it after work that needs much memory on a thread of its own: glibc gives each new thread one of many arenas
    /// and keeps what is freed there, so that repeated work on new threads would hold its memory several times over.
    package static func returnToSystem() { belfry_return_memory() }
}
