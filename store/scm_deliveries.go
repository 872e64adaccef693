package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"errand/core"
	"errand/fixes"
	"errand/store/pg"
)

// SCMDelivery is what source control reports of a repository, in the form in which the rules of fixes return it.
type SCMDelivery struct {
	Keys       []core.SCMKey // the delivery is known by each of them when it comes again
	Repository string        // owner/name in lower case

	Steps  []fixes.Step // what a push says of the order of commits
	Links  []NamedFix
	Merges []MergedPullRequest
	Deploy *NewDeploy // of every project with the repository

	PullRequest string    // its URL
	ChangedAt   time.Time // the pull request; zero: not said
	IsClosed    bool      // the pull request, without being merged
	IsEdited    bool      // the pull request: it names these issues
	Named       []int64
}

// NamedFix is a fix that names its issues. Those that are not of the project, or had this fix before, are left out.
type NamedFix struct {
	NewFix
	Issues []int64
	// KeepsCalled has issues keep a fix that somebody linked by a call, as long as that may hold.
	KeepsCalled bool
}

// SCMOutcome is what a delivery did. Without projects it did nothing, and is not remembered.
type SCMOutcome struct {
	IsDuplicate bool
	Projects    int
	Linked      []int64 // issues to which a fix was linked
	Kept        []int64 // issues that keep what somebody linked by a call
	Noted       []int64 // issues that got a note
	GivenBack   []int64 // issues whose fix was closed
	Deploys     []core.ReportedDeploy
}

const projectsOfRepository = `
SELECT id FROM projects WHERE repository = @repository AND repository <> '' AND deleted_at IS NULL ORDER BY id`

// ReceiveDelivery does what a delivery of source control asks for in all projects with its repository, once.
func (s *Store) ReceiveDelivery(ctx context.Context, actor core.Actor, d SCMDelivery) (SCMOutcome, error) {
	var outcome SCMOutcome
	err := s.inTx(ctx, func(t *tx) (err error) {
		outcome, err = t.receiveDelivery(ctx, actor, d)
		return err
	})
	return outcome, err
}

func (t *tx) receiveDelivery(ctx context.Context, actor core.Actor, d SCMDelivery) (outcome SCMOutcome, err error) {
	projects, err := pg.QueryMany[struct{ ID int64 }](ctx, t, projectsOfRepository, pg.Args{"repository": d.Repository})
	if err != nil || len(projects) == 0 {
		return outcome, err
	}
	if outcome.IsDuplicate, err = t.rememberDelivery(ctx, d.Keys); err != nil || outcome.IsDuplicate {
		return outcome, err
	}
	outcome.Projects = len(projects)
	for _, project := range projects {
		if _, err := pg.Exec(ctx, t, lockDeployOrder, pg.Args{"project_id": project.ID}); err != nil { // before issues, as a deploy does
			return outcome, err
		}
	}
	if err := t.keepSteps(ctx, d.Repository, d.Steps); err != nil {
		return outcome, err
	}
	for _, project := range projects { // in the order of their ids, so that no two deliveries wait for each other
		c := scmChange{tx: t, project: project.ID, actor: actor, outcome: &outcome}
		if err := c.apply(ctx, d); err != nil {
			return outcome, err
		}
	}
	return outcome, nil
}

// RememberDelivery remembers a delivery that does nothing, and reports whether it was there before.
func (s *Store) RememberDelivery(ctx context.Context, keys []core.SCMKey) (isDuplicate bool, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		isDuplicate, err = t.rememberDelivery(ctx, keys)
		return err
	})
	return isDuplicate, err
}

const (
	addDeliveries = `
INSERT INTO scm_deliveries (key, received_at) SELECT unnest(@keys::text[]), @now ON CONFLICT DO NOTHING`
	forgetBodies = `DELETE FROM scm_deliveries WHERE key = ANY (@keys::text[]) AND received_at < @before`
)

func (t *tx) rememberDelivery(ctx context.Context, keys []core.SCMKey) (isDuplicate bool, err error) {
	var hashes, bodies []string
	for _, key := range keys {
		sum := sha256.Sum256([]byte(key.Text))
		hash := hex.EncodeToString(sum[:])
		hashes = append(hashes, hash)
		if key.IsOfBody {
			bodies = append(bodies, hash)
		}
	}
	hashes = sortOnce(hashes)
	if len(bodies) > 0 {
		_, err := pg.Exec(ctx, t, forgetBodies, pg.Args{"keys": bodies, "before": t.Now.Add(-keepBodies)})
		if err != nil {
			return false, err
		}
	}
	n, err := pg.Exec(ctx, t, addDeliveries, pg.Args{"keys": hashes, "now": t.Now})
	return n < int64(len(hashes)), err
}

const (
	// keepDeliveries is how long a delivery is known. GitHub sends one again, when a person asks for it, for a few days.
	keepDeliveries = 30 * 24 * time.Hour
	// keepBodies is how long a delivery is known by nothing but its body: as long as a sender tries again. Later it is a new one, such as
	// the same commit deployed once more by a script whose deployments have no id.
	keepBodies = 10 * time.Minute
	// deliveryChunk bounds the rows of one deletion, so that no transaction is long.
	deliveryChunk = 10_000
)

const deleteDeliveries = `
DELETE FROM scm_deliveries WHERE key IN (SELECT key FROM scm_deliveries WHERE received_at < @before LIMIT @chunk)`

// DropDeliveries forgets the deliveries of source control of more than 30 days ago, and old pushes.
func (s *Store) DropDeliveries(ctx context.Context) error {
	if err := s.deleteInChunks(ctx, deleteDeliveries, s.Now().Add(-keepDeliveries)); err != nil {
		return err
	}
	if err := s.deleteInChunks(ctx, dropChangedPullRequests, s.Now().Add(-keepChangedPullRequests)); err != nil {
		return err
	}
	return s.dropPushes(ctx)
}
