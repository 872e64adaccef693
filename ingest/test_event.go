package ingest

import (
	"bytes"
	"context"
	"net/http"
	"strconv"

	"errand/core"
)

// TakeTestEvent takes a native event as the test event of a project's setup. It goes through the same steps as every event, and
// the issue that it makes is a test. The errors are those of POST /v1/ingest, except project_not_found for an unknown project.
func (i *Ingest) TakeTestEvent(ctx context.Context, projectID int64, event []byte) (core.Receipt, error) {
	project, err := i.projectsByID.findProject(ctx, strconv.FormatInt(projectID, 10))
	if core.HasCode(err, core.Unauthorized) {
		err = core.NewError(core.ProjectNotFound)
	}
	if err != nil {
		return core.Receipt{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "/v1/ingest", bytes.NewReader(event))
	if err != nil {
		return core.Receipt{}, err
	}
	r := &httpRequest{
		Request: request, endpoint: endpointNative, receivedAt: core.At(i.clock()), project: project,
		small: i.smallMemory.newReservation(sharedByAll), large: i.largeMemory.newReservation(project.ID),
	}
	defer r.releaseAll()
	return i.takeNative(r, project, true)
}
