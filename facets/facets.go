// Package facets lists the tags of an event, including those that its SDK did not set (browser, system, release, url, ...), and
// counts them over many events, so that a reader sees what the events of an issue have in common. It does no I/O.
package facets

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/mileusna/useragent"

	"errand/core"
)

// Bounds of reading the tags of an event.
const (
	maxTags  = 60  // of one event
	maxValue = 200 // bytes, as for the tags of events (decisions 3)
)

// Tag is a tag of an event. Both are text of the monitored app, except the keys that this package makes.
type Tag struct{ Key, Value string }

// foundKeys are the keys of the tags from other parts of an event. They come first, in this order.
var foundKeys = []string{"release", "environment", "browser", "os", "device", "runtime", "server", "url", "transaction", userKey}

const userKey = "user"

// ListTags returns the tags of an event: first those from other parts of it, then those that its SDK set under other names.
func ListTags(e *core.EventTags) []Tag {
	found := findTags(e)
	tags := make([]Tag, 0, len(foundKeys)+len(e.Tags.Kids))
	for _, key := range foundKeys {
		if value := cutValue(found[key]); value != "" {
			tags = append(tags, Tag{key, value})
		}
	}
	for _, kid := range e.Tags.Kids {
		key, value := cutValue(kid.Key), cutValue(kid.Value.Text)
		if key != "" && value != "" && found[key] == "" && len(tags) < maxTags {
			tags = append(tags, Tag{key, value})
			found[key] = value // after cutting, two keys may be equal
		}
	}
	return tags
}

func findTags(e *core.EventTags) map[string]string {
	found := map[string]string{
		"release": string(e.Release), "environment": string(e.Environment), "server": string(e.ServerName),
		"transaction": string(e.Transaction), "url": withoutQuery(string(e.URL)),
		"browser": nameContext(e.Contexts.Get("browser")), "os": nameContext(e.Contexts.Get("os")),
		"runtime": nameContext(e.Contexts.Get("runtime")), "device": e.Contexts.Get("device").Get("model").Text,
	}
	if e.UserAgent != "" && (found["browser"] == "" || found["os"] == "") {
		agent := useragent.Parse(e.UserAgent[:min(len(e.UserAgent), 5*maxValue)])
		found["browser"] = cmp.Or(found["browser"], joinVersion(agent.Name, agent.Version))
		found["os"] = cmp.Or(found["os"], agent.OS)
		found["device"] = cmp.Or(found["device"], agent.Device)
	}
	return found
}

// nameContext returns the name of a context with its major version, such as "Chrome 131".
func nameContext(context core.Value) string {
	name := cmp.Or(context.Get("name").Text, context.Get("raw_description").Text)
	return joinVersion(name, context.Get("version").Text)
}

func joinVersion(name, version string) string {
	major, _, _ := strings.Cut(version, ".")
	if name == "" || major == "" {
		return name
	}
	return name + " " + major
}

// withoutQuery cuts the query and the fragment off a URL, because they differ from event to event.
func withoutQuery(text string) string {
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		text = text[:i]
	}
	if u, err := url.Parse(text); err == nil {
		u.User = nil
		return u.String()
	}
	return text
}

func cutValue(text string) string {
	text = strings.TrimSpace(text)
	return strings.ToValidUTF8(text[:min(len(text), maxValue)], "")
}

// HasTag reports whether an event has the tag.
func HasTag(e *core.EventTags, tag Tag) bool { return slices.Contains(ListTags(e), tag) }

// Counter counts the tags of events.
type Counter struct {
	events int64
	keys   []string // in the order of their first appearance
	values map[string]map[string]int64
}

// Add counts an event and the hash of its user, which is empty for an event without one.
func (c *Counter) Add(e *core.EventTags, user string) {
	c.events++
	for _, tag := range ListTags(e) {
		if tag.Key != userKey { // a user tag from an SDK may name somebody
			c.addTag(tag)
		}
	}
	if user != "" {
		c.addTag(Tag{userKey, user})
	}
}

func (c *Counter) addTag(tag Tag) {
	if c.values == nil {
		c.values = map[string]map[string]int64{}
	}
	if c.values[tag.Key] == nil {
		c.values[tag.Key] = map[string]int64{}
		c.keys = append(c.keys, tag.Key)
	}
	c.values[tag.Key][tag.Value]++
}

// Shares returns the counts of each key, with at most values of its values, the most frequent first. The keys from this package
// come first, in their order, then the others by how many events have them.
func (c *Counter) Shares(values int) []core.TagShares {
	shares := make([]core.TagShares, 0, len(c.keys))
	for _, key := range c.keys {
		shares = append(shares, c.sharesOf(key, values))
	}
	slices.SortStableFunc(shares, func(a, b core.TagShares) int {
		return cmp.Or(cmp.Compare(rankOf(a.Key), rankOf(b.Key)), cmp.Compare(b.Events, a.Events), strings.Compare(string(a.Key), string(b.Key)))
	})
	return shares
}

func (c *Counter) sharesOf(key string, most int) core.TagShares {
	shares := core.TagShares{Key: core.Untrusted(key), Of: c.events, Distinct: int64(len(c.values[key]))}
	for value, events := range c.values[key] {
		shares.Events += events
		shares.Values = append(shares.Values, core.TagShare{Value: core.Untrusted(value), Events: events})
	}
	slices.SortFunc(shares.Values, func(a, b core.TagShare) int {
		return cmp.Or(cmp.Compare(b.Events, a.Events), strings.Compare(string(a.Value), string(b.Value)))
	})
	shares.Values = shares.Values[:min(len(shares.Values), most)]
	return shares
}

func rankOf(key core.Untrusted) int {
	if i := slices.Index(foundKeys, string(key)); i >= 0 {
		return i
	}
	return len(foundKeys)
}
