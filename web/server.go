package web

import (
	"fmt"
	"strings"

	"errand/core"
)

// serverPath is the page of the server.
const serverPath = "/settings/server"

// serverForm is the state of the server: warnings first, then facts.
type serverForm struct {
	Tabs     tabs
	Warnings []string
	Groups   []factGroup
	Jobs     []jobRow
	Settings []settingRow
	Findings []findingRow // of an examination that was asked for
}

// findingRow is what the examination found out about one thing.
type findingRow struct {
	Verdict             badge
	About, Text, Advice string
}

// examineField is the field of the address that asks for an examination: it may take seconds.
const examineField = "examine"

// factGroup is facts about one thing.
type factGroup struct {
	Name  string
	Facts []fact
}

type fact struct {
	Name string
	Text any
	At   *moment // behind the text
}

// jobRow is a background job with its last runs.
type jobRow struct {
	Name         string
	Ran, Success moment
	Outcome      badge
}

// settingRow is a setting of the installation.
type settingRow struct {
	Name      string
	Value     any
	IsDefault bool
	By        any
	At        moment
}

// showServer is the page of the server, for site admins.
func (s *Site) showServer(v *visit) error {
	found, err := callOperation(v, core.GetServer, nil)
	if err != nil {
		return err
	}
	server := &found.Data
	form := serverForm{Tabs: v.settingsTabs(), Warnings: server.Warnings, Groups: v.listServerFacts(server)}
	for _, job := range server.Jobs {
		form.Jobs = append(form.Jobs, jobRow{
			strings.ReplaceAll(job.Name, "_", " "), v.at(job.LastRunAt), v.at(job.LastSuccessAt), outcomeBadge(job.Outcome),
		})
	}
	for _, setting := range server.Settings {
		form.Settings = append(form.Settings, settingRow{setting.Name, setting.Value, setting.Default, setting.SetBy, v.at(setting.SetAt)})
	}
	if v.r.URL.Query().Has(examineField) {
		examined, err := callOperation(v, core.ExamineServer, nil)
		if err != nil {
			return err
		}
		for _, f := range examined.Data {
			form.Findings = append(form.Findings, findingRow{verdictBadge(f.Verdict), f.About, f.Text, string(f.Advice)})
		}
	}
	return v.show("server", "Server", form)
}

// verdictBadge says how a finding is judged.
func verdictBadge(verdict core.Verdict) badge {
	switch verdict {
	case core.VerdictOK:
		return badge{kindGood, "ok"}
	case core.VerdictWarn:
		return badge{kindWarn, "look at it"}
	}
	return badge{kindBad, "does not work"}
}

// outcomeBadge says how the last run of a job ended.
func outcomeBadge(outcome core.Text) badge {
	switch outcome {
	case "ok":
		return badge{kindGood, "ok"}
	case "failed":
		return badge{kindBad, "failed"}
	case "running":
		return badge{kindInfo, "running"}
	}
	return badge{"", "not seen"}
}

// listServerFacts are the facts of a server as people say them.
func (v *visit) listServerFacts(s *core.Server) []factGroup {
	started := v.at(s.StartedAt)
	groups := []factGroup{
		{"Errand", []fact{{Name: "Version", Text: s.Version}, {Name: "Go", Text: s.Go}, {Name: "Runs since", At: &started}}},
		{"Database", []fact{{Name: "Postgres", Text: s.Database.Postgres + placeOf(s.Database.Private)},
			{Name: "Size", Text: core.WriteBytes(s.Database.Bytes)}, {Name: "Schema", Text: describeSchema(s.Schema)}}},
		{"Events", v.listIngestFacts(&s.Ingest)},
		{"Deliveries", []fact{{Name: "Waiting", Text: writePlural(s.Queue.Pending, "delivery", "deliveries")}}},
	}
	if oldest := v.at(s.Queue.OldestAt); !oldest.IsNever() {
		groups[3].Facts = append(groups[3].Facts, fact{Name: "Oldest", Text: "from", At: &oldest})
	}
	if len(s.Disks) > 0 {
		groups = append(groups, factGroup{Name: "Disks"})
	}
	for _, disk := range s.Disks {
		name := map[string]string{"data": "Data", "blobs": "Source maps"}[disk.Use]
		groups[4].Facts = append(groups[4].Facts, fact{Name: name, Text: fmt.Sprintf("%s free of %s, %d %% full, in %s",
			core.WriteBytes(disk.FreeBytes), core.WriteBytes(disk.TotalBytes), disk.PercentUsed, disk.Path)})
	}
	keys := factGroup{Name: "Secrets, never shown"}
	for _, key := range s.Keys {
		keys.Facts = append(keys.Facts, fact{Name: key.Name, Text: describeKey(key)})
	}
	return append(groups, keys)
}

func placeOf(isPrivate bool) string {
	if isPrivate {
		return ", run by Errand"
	}
	return ", external"
}

func describeSchema(s core.SchemaState) string {
	if s.Version == s.Known {
		return fmt.Sprintf("version %d, the newest that this server knows", s.Version)
	}
	return fmt.Sprintf("version %d; this server knows up to %d", s.Version, s.Known)
}

func describeKey(key core.KeyState) string {
	switch {
	case !key.Set:
		return "not set"
	case len(key.IDs) > 1:
		return "set: " + key.IDs[0] + " seals, " + strings.Join(key.IDs[1:], ", ") + " still opens"
	case len(key.IDs) == 1:
		return "set: " + key.IDs[0]
	}
	return "set"
}

// listIngestFacts says how events come in.
func (v *visit) listIngestFacts(s *core.ServerIngest) []fact {
	states := map[string]string{
		"ok": "they come in", "degraded": "some were refused in the last minutes", "over_quota": "over the quota of today",
		"idle": "none in 24 hours",
	}
	facts := []fact{
		{Name: "State", Text: states[s.State]}, {Name: "Today", Text: writePlural(s.EventsToday, "event", "events") + " since midnight UTC"},
		{Name: "24 hours", Text: writePlural(s.Events24h, "event", "events")},
		{Name: "In memory", Text: writePlural(s.Held, "event", "events") + " not stored yet"},
	}
	if last := v.at(s.LastEventAt); !last.IsNever() {
		facts = append(facts, fact{Name: "Last event", At: &last})
	}
	return facts
}
