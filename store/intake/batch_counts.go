package intake

import (
	"cmp"
	"slices"
	"time"

	"errand/core"
)

// batchCounts are the sums of a batch: one row for each issue, hour and project that it touches, sorted by key. So a hot
// issue costs one update however many events it has, and two servers lock rows in the same order.
type batchCounts struct {
	issues    []issueCount
	newIssues []issueCount // the issues that the batch makes, in the order of batch.firstEvents
	hours     []hourCount
	projects  []projectCount
	users     []userKey
	names     []issueName
}

type issueCount struct {
	project, issue int64
	seen, stored   int64
	latestEvent    int64
	users          int64 // set for an issue that the batch makes
	Span
}

type issueHour struct {
	project, issue int64
	hour           time.Time
}

type hourCount struct {
	issueHour
	hourSums
}

// hourSums are the sums of an issue in an hour.
type hourSums struct {
	events int64
	fives  int32 // a bit for each five minutes with events; the lowest is for the first
}

// fiveOf returns the bit for the five minutes of the hour that the time is in.
func fiveOf(at core.Time) int32 { return 1 << (at.UTC().Minute() / 5) }

// projectHour is an hour of a project by time of arrival: quotas count these.
type projectHour struct {
	project int64
	hour    time.Time
}

type projectCount struct {
	projectHour
	events         int64
	last           core.Time
	server, client core.Time
	counted        core.Time // of the last event that is not stored
	quota          *int64
}

func truncateDay(t core.Time) time.Time { return t.Truncate(24 * time.Hour) }

// countEvents computes the sums of the batch.
func (b *batch) countEvents(m *memory) {
	s := newBatchSums(m)
	b.eachCounted(func(e *NewEvent, a *Added) {
		s.addToIssue(e, a)
		s.addToHours(e, a)
		s.addUser(e, a.IssueID)
		s.addNames(e, a.IssueID)
	})
	b.counts.newIssues = b.takeNewIssues(s.issues, s.users)
	b.counts.issues = s.sortIssues()
	b.counts.hours = s.sortHours()
	b.counts.projects = s.sortProjects()
	b.counts.users = sortKeys(s.users, compareUsers)
	b.counts.names = sortKeys(s.names, compareNames)
}

// batchSums are the sums of a batch while they are being computed.
type batchSums struct {
	memory   *memory // users and names that it has are left out
	issues   map[int64]*issueCount
	hours    map[issueHour]hourSums
	projects map[projectHour]*projectCount
	users    map[userKey]struct{}
	names    map[issueName]struct{}
}

func newBatchSums(m *memory) *batchSums {
	return &batchSums{
		memory: m, issues: map[int64]*issueCount{}, hours: map[issueHour]hourSums{}, projects: map[projectHour]*projectCount{},
		users: map[userKey]struct{}{}, names: map[issueName]struct{}{},
	}
}

func (s *batchSums) addToIssue(e *NewEvent, a *Added) {
	c := s.issues[a.IssueID]
	if c == nil {
		c = &issueCount{project: e.ProjectID, issue: a.IssueID}
		s.issues[a.IssueID] = c
	}
	c.addEvent(e, a)
}

func (s *batchSums) addToHours(e *NewEvent, a *Added) {
	hour := issueHour{e.ProjectID, a.IssueID, e.OccurredAt.Truncate(time.Hour)}
	sums := s.hours[hour]
	s.hours[hour] = hourSums{sums.events + 1, sums.fives | fiveOf(e.OccurredAt)}
	key := projectHour{e.ProjectID, e.ReceivedAt.Truncate(time.Hour)}
	p := s.projects[key]
	if p == nil {
		p = &projectCount{projectHour: key}
		s.projects[key] = p
	}
	p.addEvent(e, a)
}

func (s *batchSums) addUser(e *NewEvent, issue int64) {
	if e.User == [16]byte{} {
		return
	}
	if user := (userKey{e.ProjectID, issue, e.User}); s.memory.mayCountUser(e.rememberedAs(issue), user) {
		s.users[user] = struct{}{}
	}
}

func (s *batchSums) addNames(e *NewEvent, issue int64) {
	if e.rememberedAs(issue).names == s.memory.hashNames(e) {
		return
	}
	for _, name := range []issueName{{e.ProjectID, issue, false, e.Environment}, {e.ProjectID, issue, true, e.Release}} {
		if name.name != "" && !hasRow(s.memory, name) {
			s.names[name] = struct{}{}
		}
	}
}

func (s *batchSums) sortIssues() []issueCount {
	list := make([]issueCount, 0, len(s.issues))
	for _, c := range s.issues {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b issueCount) int {
		return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.issue, b.issue))
	})
	return list
}

func (s *batchSums) sortHours() []hourCount {
	list := make([]hourCount, 0, len(s.hours))
	for hour, sums := range s.hours {
		list = append(list, hourCount{hour, sums})
	}
	slices.SortFunc(list, func(a, b hourCount) int {
		return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.issue, b.issue), a.hour.Compare(b.hour))
	})
	return list
}

func (s *batchSums) sortProjects() []projectCount {
	list := make([]projectCount, 0, len(s.projects))
	for _, p := range s.projects {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b projectCount) int {
		return cmp.Or(cmp.Compare(a.project, b.project), a.hour.Compare(b.hour))
	})
	return list
}

func (c *issueCount) addEvent(e *NewEvent, a *Added) {
	c.seen++
	if a.ID != 0 {
		c.stored++
		c.latestEvent = max(c.latestEvent, a.ID)
	}
	c.IncludeEvent(e.OccurredAt, e.Level, e.Release)
}

func (p *projectCount) addEvent(e *NewEvent, a *Added) {
	p.events++
	p.quota = e.DailyQuota
	seen := []*core.Time{&p.last}
	switch {
	case e.Test: // it says nothing about where the project's events come from
	case e.Source == core.SourceServer:
		seen = append(seen, &p.server)
	default:
		seen = append(seen, &p.client)
	}
	if a.ID == 0 {
		seen = append(seen, &p.counted)
	}
	for _, t := range seen {
		if e.ReceivedAt.After(t.Time) {
			*t = e.ReceivedAt
		}
	}
}

func sortKeys[K comparable](set map[K]struct{}, compare func(a, b K) int) []K {
	list := make([]K, 0, len(set))
	for k := range set {
		list = append(list, k)
	}
	slices.SortFunc(list, compare)
	return list
}

func compareUsers(a, b userKey) int {
	return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.issue, b.issue), slices.Compare(a.user[:], b.user[:]))
}

func compareNames(a, b issueName) int {
	return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.name, b.name), cmp.Compare(a.issue, b.issue))
}
