package store

import (
	"context"
	"time"

	"errand/core"
	"errand/store/pg"
)

// keptBack is how long next_issue withholds an issue from the actor who gave it back with a note.
const keptBack = 24 * time.Hour

const setClaim = `
UPDATE issues SET claim_type = @type, claim_token_id = @token_id, claim_holder = @holder, claim_worker = @worker,
	claim_minutes = @minutes, claim_expires_at = @expires_at
WHERE project_id = @project_id AND id = @id`

// ClaimIssue claims an issue for the actor, or its worker, for a number of minutes, or renews its own claim. If another actor
// holds the issue, the error is claimed; if the token was revoked meanwhile, it is unauthorized.
func (s *Store) ClaimIssue(ctx context.Context, actor core.Actor, id, minutes int64) (core.ClaimedIssue, error) {
	var issue core.ClaimedIssue
	project, err := s.findIssueOwner(ctx, id)
	if err != nil {
		return issue, err
	}
	err = s.inTx(ctx, func(t *tx) error {
		if err := t.shareToken(ctx, actor); err != nil { // before the issue, in the order of a revocation
			return err
		}
		issue.IssueDetail, err = t.changeDetail(ctx, actor, project, id, func(c *issueChange) error {
			issue.Renewed = c.holdsClaim()
			return c.claimIssue(ctx, minutes)
		})
		if err != nil {
			return err
		}
		issue.HeldSince, err = t.findHeldSince(ctx, project, id)
		return err
	})
	return issue, err
}

const findHeldSince = `
SELECT coalesce(` + sinceClaimed + `, @now) AS since FROM issues i WHERE i.project_id = @project_id AND i.id = @id`

// findHeldSince returns when the current holder of an issue began to hold it.
func (t *tx) findHeldSince(ctx context.Context, project, id int64) (core.Time, error) {
	row, err := pg.QueryOne[struct{ Since core.Time }](ctx, t, t.store.db.OfProject(findHeldSince),
		pg.Args{"project_id": project, "id": id, "now": t.Now})
	return row.Since, err
}

// claimData is the data of a claim in the activity.
type claimData struct {
	Minutes   int64     `json:"minutes"`
	ExpiresAt core.Time `json:"expires_at"`
	Worker    string    `json:"worker,omitempty"`
}

func (c *issueChange) claimIssue(ctx context.Context, minutes int64) error {
	holder := c.actor
	switch {
	case !c.before.isClaimedAt(c.Now):
	case !c.holdsClaim():
		return core.NewError(core.Claimed).With("claim", c.before.currentClaim())
	case holder.Worker == "": // the token renews its worker's claim
		holder.Worker = c.before.ClaimWorker
	}
	expires := core.At(c.Now.Add(time.Duration(minutes) * time.Minute))
	if err := c.setClaim(ctx, holder, minutes, expires); err != nil {
		return err
	}
	_, err := c.recordChange(ctx, core.ActionIssueClaim, claimData{minutes, expires, holder.Worker})
	return err
}

// extendClaim renews the actor's own claim and never shortens it. Agents may call this every few seconds, so it records no activity.
func (c *issueChange) extendClaim(ctx context.Context, minutes int64) error {
	expires := core.At(c.Now.Add(time.Duration(minutes) * time.Minute))
	if c.before.ClaimExpiresAt.After(expires.Time) {
		expires = c.before.ClaimExpiresAt
	}
	return c.setClaim(ctx, c.actor, minutes, expires)
}

// ReleaseIssue ends the claim on an issue, and adds the note unless it is empty. Without an active claim it only adds the note, and
// remembers that a worker whose lease has run out gave the issue back with it. Another actor's claim is not_claim_holder unless the
// actor is an admin. A call that names a worker only ends that worker's claim, even if an admin makes it.
func (s *Store) ReleaseIssue(ctx context.Context, actor core.Actor, id int64, note string) (core.Issue, error) {
	return s.changeIssue(ctx, actor, id, func(c *issueChange) error {
		if c.before.isClaimedAt(c.Now) && !c.holdsClaim() && (actor.Worker != "" || !actor.IsAdminOf(c.project)) {
			return core.NewError(core.NotClaimHolder).With("claim", c.before.currentClaim())
		}
		if err := c.addNote(ctx, note); err != nil {
			return err
		}
		why, err := c.findNoteOfClaim(ctx)
		if err != nil {
			return err
		}
		if note != "" && !c.before.isClaimedAt(c.Now) {
			return c.releaseLate(ctx, why)
		}
		return c.releaseClaim(ctx, why)
	})
}

const hadClaim = `
SELECT EXISTS (
	SELECT 1 FROM activity WHERE project_id = @project_id AND target_type = 'issue' AND target_id = @id AND action = 'issue.claim'
		AND at > @day_ago AND actor_type = @type AND actor_id IS NOT DISTINCT FROM nullif(@token_id::bigint, 0) AND actor_name = @name
		AND (@worker::text = '' OR coalesce(data ->> 'worker', '') = @worker)) AS found`

// releaseLate records that the actor gives back an issue whose claim it had in the last day, as the note says why.
func (c *issueChange) releaseLate(ctx context.Context, note int64) error {
	had, err := pg.QueryOne[struct{ Found bool }](ctx, c, hadClaim, pg.Args{
		"project_id": c.project, "id": c.id, "day_ago": c.Now.Add(-keptBack), "type": string(c.actor.Type), "token_id": int64(c.actor.ID),
		"name": c.actor.Name, "worker": c.actor.Worker,
	})
	if err != nil || !had.Found {
		return err
	}
	_, err = c.recordChange(ctx, core.ActionIssueRelease, releaseData{Worker: c.actor.Worker, NoteID: note})
	return err
}

// releaseData is the data of a release in the activity: the worker who let go, and the note that says why. A release with a
// note means that someone tried without success.
type releaseData struct {
	Worker string `json:"worker,omitempty"`
	NoteID int64  `json:"note_id,omitempty"`
}

// A note older than the end of the last claim belongs to an earlier attempt.
const lastNoteOf = `
SELECT coalesce(max(n.id), 0) AS id FROM activity n
WHERE n.project_id = @project_id AND n.target_type = 'issue' AND n.target_id = @id AND n.action = 'issue.note' AND n.at > @day_ago
	AND n.actor_type = @type AND n.actor_id IS NOT DISTINCT FROM nullif(@token_id::bigint, 0)
	AND NOT EXISTS (
		SELECT 1 FROM activity e
		WHERE e.project_id = @project_id AND e.target_type = 'issue' AND e.target_id = @id
			AND e.action IN ('issue.release', 'issue.claim_expire') AND (e.at, e.id) > (n.at, n.id))`

// findNoteOfClaim returns the id of the last note of the actor's token since it has held the issue; 0 for none.
func (c *issueChange) findNoteOfClaim(ctx context.Context) (int64, error) {
	note, err := pg.QueryOne[struct{ ID int64 }](ctx, c, lastNoteOf, pg.Args{
		"project_id": c.project, "id": c.id, "day_ago": c.Now.Add(-keptBack), "type": string(c.actor.Type), "token_id": int64(c.actor.ID),
	})
	return note.ID, err
}

// releaseClaim ends the claim on the issue, if there is one. The note says why it was given back; 0 for none.
func (c *issueChange) releaseClaim(ctx context.Context, note int64) error {
	if !c.before.isClaimedAt(c.Now) {
		return nil
	}
	if err := c.setClaim(ctx, core.Actor{}, 0, core.Time{}); err != nil {
		return err
	}
	var data any
	if d := (releaseData{Worker: c.before.ClaimWorker, NoteID: note}); d != (releaseData{}) {
		data = d
	}
	_, err := c.recordChange(ctx, core.ActionIssueRelease, data)
	return err
}

// WorkEnd ends someone's work on an issue, in the transaction of their change.
type WorkEnd struct {
	Note     string // empty for none
	Releases bool   // their own claim; another actor's claim stays
}

func (c *issueChange) handOver(ctx context.Context, h WorkEnd) error {
	if err := c.addNote(ctx, h.Note); err != nil {
		return err
	}
	if !h.Releases || !c.holdsClaim() {
		return nil
	}
	return c.releaseClaim(ctx, 0) // the work is done, so nothing was given back
}

// setClaim writes the holder of the issue; the zero actor is nobody.
func (c *issueChange) setClaim(ctx context.Context, holder core.Actor, minutes int64, expires core.Time) error {
	c.claimIsSet = true
	return c.tx.setClaim(ctx, c.project, c.id, holder, minutes, expires)
}

func (t *tx) setClaim(ctx context.Context, project, id int64, holder core.Actor, minutes int64, expires core.Time) error {
	_, err := pg.Exec(ctx, t, setClaim, pg.Args{
		"type": string(holder.Type), "token_id": int64(holder.ID), "holder": holder.Name, "worker": holder.Worker,
		"minutes": minutes, "expires_at": expires, "project_id": project, "id": id,
	})
	return err
}

func (t *tx) endClaim(ctx context.Context, project, id int64) error {
	return t.setClaim(ctx, project, id, core.Actor{}, 0, core.Time{})
}

// It never shortens a claim. Claims from before claims had a length stay as they are. The name of a holder with an id can change.
const renewClaim = `
UPDATE issues SET claim_expires_at = ` + claimMinutesLater + `
WHERE project_id = @project_id AND id = @id AND claim_expires_at > @now
	AND claim_expires_at < ` + claimMinutesLater + `
	AND claim_type = @type AND claim_token_id = @token_id AND (@token_id::bigint <> 0 OR claim_holder = @holder)`

// claimMinutesLater is the time when a claim ends that is renewed now. An hour is always an hour in UTC, which makes the sum immutable.
const claimMinutesLater = `(@now::timestamptz AT TIME ZONE 'UTC' + claim_minutes * interval '1 minute') AT TIME ZONE 'UTC'`

// renewClaim renews the actor's claim on an issue that it has changed, for the time asked for when it was claimed.
func (t *tx) renewClaim(ctx context.Context, actor core.Actor, project, id int64) error {
	_, err := pg.Exec(ctx, t, renewClaim, pg.Args{
		"type": string(actor.Type), "token_id": int64(actor.ID), "holder": actor.Name, "now": t.Now, "project_id": project, "id": id,
	})
	return err
}

func (l lockedIssue) isClaimedAt(now core.Time) bool { return l.ClaimExpiresAt.After(now.Time) }

// holdsClaim reports whether the claim before the change belongs to the actor. A worker holds its own claims and those that its token
// made without a worker; a token without a worker speaks for all its workers.
func (c *issueChange) holdsClaim() bool {
	l := c.before
	isSame := c.actor.IsSame(core.Actor{Type: l.ClaimType, ID: core.OptInt(l.ClaimTokenID), Name: l.ClaimHolder})
	return isSame && l.isClaimedAt(c.Now) && (c.actor.Worker == "" || l.ClaimWorker == "" || c.actor.Worker == l.ClaimWorker)
}

func (l lockedIssue) currentClaim() core.Claim {
	return core.Claim{Holder: l.ClaimHolder, ExpiresAt: l.ClaimExpiresAt, Worker: core.Text(l.ClaimWorker)}
}
