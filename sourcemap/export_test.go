package sourcemap

// Size returns how many bytes of pages the cache holds.
func (c *Cache) Size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := c.size
	for key, page := range c.previous {
		if _, again := c.recent[key]; !again {
			size += cap(page)
		}
	}
	return size
}

// Source is an original file.
type Source struct {
	URL        string // as in Position
	Ignored    bool
	HasContent bool
}

// ListSources returns all sources of the map, in its order.
func (x *Index) ListSources() ([]Source, error) {
	list := make([]Source, 0, x.header.sources)
	for number := range int64(x.header.sources) {
		encoded, err := x.readSection(sourceSection, number*sourceEntrySize, (number+1)*sourceEntrySize)
		if err != nil {
			return nil, err
		}
		entry := decodeSourceEntry(encoded)
		url, err := x.readText(sourceTextSection, entry.textStart, entry.textEnd)
		if err != nil {
			return nil, err
		}
		list = append(list, Source{URL: url, Ignored: entry.flags&sourceIgnored != 0, HasContent: entry.flags&sourceHasContent != 0})
	}
	return list, nil
}
