import ChatDomain
import ChatModel

// Conversion of rarely used message content, and of files.

extension ProtoExtras {
    init(_ extras: MessageExtras) {
        self.init()
        if let arrays = extras.metaArrays {
            metaArrays.values = arrays.mapValues { values in .with { $0.values = values } }
            if arrays.isEmpty { metaArrays = ProtoMetaArrays() }
        }
        if let languages = extras.targetLanguages { targetLanguages = .with { $0.values = languages } }
        if let option = extras.pushOption { pushOption = ProtoPushOption(option) }
        if let alert = extras.criticalAlert {
            criticalAlert = .with {
                $0.name = alert.name
                $0.volume = alert.volume
            }
        }
        if let list = extras.files { files = .with { $0.values = list.map(ProtoMessageFile.init) } }
        if let sizes = extras.thumbnailSizes { thumbnailSizes = ProtoThumbnailSizes(sizes) }
        if let id = extras.sourceID { sourceID = id }
    }
}

extension MessageExtras {
    init(_ proto: ProtoExtras) throws(RecordError) {
        self.init()
        if proto.hasMetaArrays { metaArrays = proto.metaArrays.values.mapValues(\.values) }
        if proto.hasTargetLanguages { targetLanguages = proto.targetLanguages.values }
        if proto.hasPushOption { pushOption = try proto.pushOption.value("push_option") }
        if proto.hasCriticalAlert {
            criticalAlert = CriticalAlert(name: proto.criticalAlert.name, volume: proto.criticalAlert.volume)
        }
        if proto.hasFiles { files = proto.files.values.map(MessageFile.init) }
        if proto.hasThumbnailSizes {
            thumbnailSizes = try proto.thumbnailSizes.sizes()
        }
        if proto.hasSourceID { sourceID = proto.sourceID }
    }
}

extension ProtoMessageFile {
    init(_ file: MessageFile) {
        self.init()
        if let value = file.id { id = ProtoId(value) }
        url = file.url
        if let text = file.name { name = text }
        if let bytes = file.size { size = bytes }
        if let type = file.mimeType { mimeType = type }
    }
}

extension MessageFile {
    init(_ proto: ProtoMessageFile) {
        self.init(
            id: proto.hasID ? proto.id.file : nil, url: proto.url, name: proto.hasName ? proto.name : nil,
            size: proto.hasSize ? proto.size : nil, mimeType: proto.hasMimeType ? proto.mimeType : nil)
    }
}

extension ProtoThumbnailSizes {
    init(_ sizes: [ThumbnailSize]) {
        self.init()
        values = sizes.map(ProtoThumbnailSize.init)
    }

    func sizes() throws(RecordError) -> [ThumbnailSize] {
        var sizes: [ThumbnailSize] = []
        for size in values { sizes.append(try ThumbnailSize(size)) }
        return sizes
    }
}

extension ProtoThumbnailSize {
    init(_ size: ThumbnailSize) {
        self.init()
        maxWidth = Int64(size.maxWidth)
        maxHeight = Int64(size.maxHeight)
    }
}

extension ThumbnailSize {
    init(_ proto: ProtoThumbnailSize) throws(RecordError) {
        guard let width = Int(exactly: proto.maxWidth), let height = Int(exactly: proto.maxHeight) else {
            throw .invalid(field: "thumbnail_sizes")
        }
        self.init(maxWidth: width, maxHeight: height)
    }
}

extension ProtoUploadedFile {
    init(_ file: UploadedFile) {
        self.init()
        id = ProtoId(file.id)
        channel = file.channel.rawValue
        owner = file.owner.rawValue
        name = file.name
        size = file.size
        mimeType = file.mimeType
    }
}

extension UploadedFile {
    init(_ proto: ProtoUploadedFile) throws(RecordError) {
        self.init(
            id: proto.id.file, channel: try Records.channel(proto.channel), owner: try user(proto.owner, "owner"),
            name: proto.name, size: proto.size, mimeType: proto.mimeType)
    }
}
