package web

import (
	"strconv"

	"errand/core"
)

// mapsForm is the page of the source maps of a project.
type mapsForm struct {
	projectHead
	Events   int64 // that were looked at
	Mapped   []mappedRelease
	Uploaded []uploadedRelease
	Pager    pager
}

// mappedRelease is what source maps did for the newest events of a release.
type mappedRelease struct {
	Release       any
	Last          moment
	Events        string
	Mapped, Total int64
	State         badge
	Missing       []missingMap
}

// missingMap is why frames of a file were not mapped.
type missingMap struct {
	Reason, File any
	DebugID      any
	Frames       string
}

// uploadedRelease is the source maps of a release that follow each other in the list.
type uploadedRelease struct {
	Release any
	Last    moment
	By      any
	Size    string
	Maps    []uploadedMap
}

type uploadedMap struct {
	Name, Dist any
	Sources    string
	Size       string
	At         moment
	DeletePath string // empty for who may not
}

// mapsShown is how many source maps the page lists.
const mapsShown = 200

// showProjectMaps shows which source maps are there, and what they did.
func (s *Site) showProjectMaps(v *visit) error {
	p, err := v.readProject()
	if err != nil {
		return err
	}
	args, cursor := map[string]any{projectField: p.ID, "limit": mapsShown}, v.r.URL.Query().Get("cursor")
	if cursor != "" {
		args["cursor"] = cursor
	}
	var state core.Data[core.SourceMapState]
	var found core.Page[core.SourceMap]
	err = runTogether(
		func() (err error) {
			state, err = callOperation(v, core.GetSourceMapState, map[string]any{projectField: p.ID})
			return err
		},
		func() (err error) { found, err = callOperation(v, core.ListSourceMaps, args); return err },
	)
	if err != nil {
		return err
	}
	form := mapsForm{projectHead: v.makeProjectHead(p, mapsPart), Events: state.Data.Events}
	for i := range state.Data.Releases {
		form.Mapped = append(form.Mapped, v.makeMappedRelease(&state.Data.Releases[i]))
	}
	form.Uploaded = form.groupMaps(v, found.Data)
	form.Pager = pager{Shown: writePlural(len(found.Data), "source map", "source maps"), OlderText: "Older"}
	path := form.Path + mapsPart
	if cursor != "" {
		form.Pager.First = path
	}
	if found.NextCursor != "" {
		form.Pager.Older = addressOf(path, "cursor", string(found.NextCursor))
	}
	return v.show("project_maps", "Source maps of "+plainText(p.Name), form)
}

func (v *visit) makeMappedRelease(r *core.ReleaseMapState) mappedRelease {
	row := mappedRelease{
		Release: r.Release, Last: v.at(r.LastEventAt), Events: writePlural(r.Events, "event", "events"), Mapped: r.Mapped,
		Total: r.Mapped + r.Unmapped, State: badge{kindGood, "all mapped"},
	}
	if r.Release == "" {
		row.Release = "without a release"
	}
	switch {
	case r.Mapped == 0:
		row.State = badge{kindBad, "nothing mapped"}
	case r.Unmapped > 0:
		row.State = badge{kindWarn, writePlural(r.Unmapped, "frame", "frames") + " not mapped"}
	}
	for _, m := range r.Missing {
		frames := writePlural(m.Frames, "frame", "frames")
		row.Missing = append(row.Missing, missingMap{m.Reason, cutText(string(m.File), maxValue), m.DebugID, frames})
	}
	return row
}

// groupMaps puts the source maps of a release together. The list has the newest first.
func (form *mapsForm) groupMaps(v *visit, maps []core.SourceMap) []uploadedRelease {
	var groups []uploadedRelease
	sizes, places := []int64{}, map[string]int{}
	for i := range maps {
		m := &maps[i]
		place, isKnown := places[m.Release]
		if !isKnown {
			place = len(groups)
			places[m.Release] = place
			groups, sizes = append(groups, uploadedRelease{Release: m.Release, Last: v.at(m.UploadedAt), By: m.UploadedBy}), append(sizes, 0)
		}
		sizes[place] += m.Size
		uploaded := uploadedMap{Name: m.Name, Dist: m.Dist, Sources: writeCount(m.Sources), Size: core.WriteBytes(m.Size), At: v.at(m.UploadedAt)}
		if form.CanManage {
			uploaded.DeletePath = addressOf(form.Path+deleteMapPart, "id", strconv.FormatInt(m.ID, 10))
		}
		groups[place].Maps = append(groups[place].Maps, uploaded)
	}
	for i := range groups {
		groups[i].Size = core.WriteBytes(sizes[i])
	}
	return groups
}
