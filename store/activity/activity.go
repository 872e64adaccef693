// Package activity writes the timeline, each entry in the transaction of the change that it describes.
package activity

import (
	"context"
	"encoding/json"

	"errand/core"
	"errand/store/pg"
)

// Entry is a row of the timeline to write.
type Entry struct {
	ProjectID  int64 // 0: of no project
	Actor      core.Actor
	Action     core.Action
	TargetType core.TargetType
	TargetID   int64
	Data       any // nil for none
}

// OfIssue returns the entry of an action on an issue.
func OfIssue(actor core.Actor, projectID, issueID int64, action core.Action, data any) Entry {
	return Entry{ProjectID: projectID, Actor: actor, Action: action, TargetType: core.TargetIssue, TargetID: issueID, Data: data}
}

// FromTo is the data of a status change of an issue.
type FromTo struct {
	From core.Status `json:"from"`
	To   core.Status `json:"to"`
}

const ids pg.Series = "activity"

const insertEntry = `
INSERT INTO activity (project_id, id, at, actor_type, actor_id, actor_name, action, target_type, target_id, data)
VALUES (@project_id, @id, @now, @actor_type, nullif(@actor_id::bigint, 0), @actor_name, @action, @target_type, @target_id, @data)`

// Write writes an entry in the transaction of the change that it describes, and returns the id of its row.
func Write(ctx context.Context, db *pg.DB, t *pg.Tx, e Entry) (int64, error) {
	id, err := db.IDs.TakeOne(ctx, ids)
	if err != nil {
		return 0, err
	}
	var data []byte
	if e.Data != nil {
		if data, err = json.Marshal(e.Data); err != nil {
			return 0, err
		}
	}
	_, err = pg.Exec(ctx, t, insertEntry, pg.Args{
		"project_id": e.ProjectID, "id": id, "now": t.Now, "actor_type": string(e.Actor.Type), "actor_id": int64(e.Actor.ID),
		"actor_name": e.Actor.Name, "action": string(e.Action), "target_type": string(e.TargetType), "target_id": e.TargetID, "data": data,
	})
	return id, err
}
