package web

import (
	"fmt"
	"strconv"

	"errand/core"
)

// mapsSearched is among how many of the newest source maps of a project the page of a deletion looks for one.
const mapsSearched = 1000

// showMapDeletion is the page before a source map is deleted.
func (s *Site) showMapDeletion(v *visit) error {
	p, err := v.readManagedProject()
	if err != nil {
		return err
	}
	found, err := callOperation(v, core.ListSourceMaps, map[string]any{projectField: p.ID, "limit": mapsSearched})
	if err != nil {
		return err
	}
	path := projectAddress(&p.Project, "")
	for i := range found.Data {
		m := &found.Data[i]
		if id := strconv.FormatInt(m.ID, 10); id == v.r.URL.Query().Get("id") {
			return v.showIrrevocable(irrevocable{
				Back: path + mapsPart, BackName: "Source maps of " + p.Name, Title: "Delete a source map", Code: m.Name,
				Says: []string{
					fmt.Sprintf("It is of the release %s. Events that were mapped with it stay as they are; later ones of this file are not mapped.",
						plainText(m.Release)),
					"It cannot be undone; the map can be uploaded again.",
				},
				Path: path + deleteMapPart, Field: &keptField{"id", id}, Button: "Delete the source map", Keep: "Keep it",
			})
		}
	}
	return core.NewError(core.NotFound)
}

// takeMapDeletion deletes a source map.
func (s *Site) takeMapDeletion(v *visit) error {
	p, err := v.readManagedProject()
	if err != nil {
		return err
	}
	id, err := strconv.ParseInt(v.r.PostForm.Get("id"), 10, 64)
	if err != nil || id < 1 {
		return core.NewError(core.NotFound)
	}
	return v.act(core.DeleteSourceMap.Operation, map[string]any{"id": id}, projectAddress(&p.Project, mapsPart),
		flash{Text: "The source map is deleted."})
}
