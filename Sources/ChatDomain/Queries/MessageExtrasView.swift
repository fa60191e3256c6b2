import ChatModel

extension Message {
    /// `MS2`
    mutating func show(_ extras: MessageExtras) {
        metaArrays = extras.metaArrays
        targetLanguages = extras.targetLanguages
        pushOption = extras.pushOption
        criticalAlert = extras.criticalAlert
    }
}
