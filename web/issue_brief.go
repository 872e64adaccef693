package web

import (
	"net/http"

	"errand/core"
	"errand/wire"
)

// issueBriefPath is the address of an issue's brief as text, for a person who hands it to an agent.
const issueBriefPath = "/issues/{id}/brief"

// showBrief answers with the brief, as an agent gets it.
func (s *Site) showBrief(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	answer, err := v.call(core.GetBrief.Operation, map[string]any{"id": id})
	if err != nil {
		return err
	}
	wire.WriteCompressed(v.w, v.r, http.StatusOK, "text/plain; charset=utf-8", []byte(answer.Prose))
	return nil
}
