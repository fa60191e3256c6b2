/// Finds the message of the log with which this node begins to read.
extension Replica {
    func find(after lastFrame: UInt64) {
        store.bounds { result in
            self.queue.async {
                switch result {
                case .success(let bounds):
                    self.search = LogSearch(after: lastFrame, in: bounds)
                    self.continueSearch(after: lastFrame)
                case .failure: self.later { self.find(after: lastFrame) }
                }
            }
        }
    }

    func continueSearch(after lastFrame: UInt64) {
        switch search?.next {
        case .read(let number):
            store.read(from: number, bytes: 1) { result in
                self.queue.async {
                    switch result {
                    case .success(let entries):
                        // The store may have answered from a copy that is behind.
                        guard let entry = entries.first, entry.number == number else {
                            return self.later { self.continueSearch(after: lastFrame) }
                        }
                        // What cannot be read is reported once the reader comes to it.
                        let message = try? LogMessage(entry.message)
                        self.search?.receive(firstFrame: message?.firstFrame ?? 0, of: number)
                        self.continueSearch(after: lastFrame)
                    case .failure(.dropped): self.later { self.find(after: lastFrame) }
                    case .failure: self.later { self.continueSearch(after: lastFrame) }
                    }
                }
            }
        case .found(let number):
            search = nil
            reader = LogReader(cluster: cluster, next: number, lastFrame: lastFrame)
            // A node with frames that the log does not have must not follow it.
            seekEnd()
            proceed()
            read(from: number)
        case nil: break
        }
    }
}
