package ingest

// The largest bodies in bytes, as sent and after decompression (decisions 3).
const (
	maxEnvelope = 20 << 20
	maxNative   = 1 << 20
)

// maxBody is the largest body that the request may have, in bytes.
func (r *httpRequest) maxBody() int64 {
	if r.endpoint == endpointEnvelope || r.endpoint == endpointStore || r.endpoint == endpointOTLP {
		return maxEnvelope
	}
	return maxNative
}

// maxReadBytes is the most bytes of the body that are read, including skipped ones. From a sender whose key is not in the header
// or the query, the server reads no more than it keeps.
func (r *httpRequest) maxReadBytes() int64 {
	if r.isEnvelope && r.hasKey {
		return maxStream
	}
	return r.maxBody()
}

// maxKeptBytes is how many bytes of the body are kept as they were sent. Of a longer envelope only the needed items are kept.
func (r *httpRequest) maxKeptBytes() int64 {
	if r.isEnvelope && r.encoding == "" {
		return largeBody
	}
	return r.maxBody()
}
