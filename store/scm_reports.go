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

// RepositoryChange is a report of source control about a repository, in the form that the rules of fixes return.
type RepositoryChange struct {
	Keys       []core.SCMKey // each of them identifies the report when it comes again
	Repository string        // owner/name in lower case

	Steps []fixes.Step // the order of commits, from a push
	Links []NamedFix
	// Reverted are the commits that a push takes back.
	Reverted []string
	Merges   []MergedPullRequest
	Deploy   *NewDeploy // for every project with the repository

	PullRequest string    // its URL
	ChangedAt   time.Time // when the pull request changed; zero: not given
	// Branch is the branch of the pull request, if that is in the repository, or of a push to another branch than the default one.
	Branch   string
	IsClosed bool // the pull request was closed without being merged
	IsEdited bool // the pull request was edited and now names these issues
	Named    []int64
}

// NamedFix is a fix that names its issues. Issues of other projects, or that had this fix before, are left out.
type NamedFix struct {
	NewFix
	Issues []int64
	// With KeepsCalled, issues keep a fix that was linked by a call as long as it may hold.
	KeepsCalled bool
	// With KeepsLanded, they also keep one that is deployed, merged or on the default branch.
	KeepsLanded bool
}

// SCMOutcome is the effect of a report. Without projects it did nothing and is not remembered.
type SCMOutcome struct {
	IsDuplicate bool
	Projects    int
	Linked      []int64 // issues that a fix was linked to
	Kept        []int64 // issues that keep the fix they have
	Noted       []int64 // issues that got a note
	GivenBack   []int64 // issues whose fix was closed
	Deploys     []core.ReportedDeploy
}

const projectsOfRepository = `
SELECT id FROM projects WHERE repository = @repository AND repository <> '' AND deleted_at IS NULL ORDER BY id`

// ReceiveReport carries out a report of source control in all projects with its repository, once.
func (s *Store) ReceiveReport(ctx context.Context, actor core.Actor, d RepositoryChange) (SCMOutcome, error) {
	var outcome SCMOutcome
	err := s.inTx(ctx, func(t *tx) (err error) {
		outcome, err = t.receiveReport(ctx, actor, d)
		return err
	})
	return outcome, err
}

func (t *tx) receiveReport(ctx context.Context, actor core.Actor, d RepositoryChange) (outcome SCMOutcome, err error) {
	projects, err := pg.QueryMany[struct{ ID int64 }](ctx, t, projectsOfRepository, pg.Args{"repository": d.Repository})
	if err != nil || len(projects) == 0 {
		return outcome, err
	}
	if outcome.IsDuplicate, err = t.rememberReport(ctx, d.Keys); err != nil || outcome.IsDuplicate {
		return outcome, err
	}
	outcome.Projects = len(projects)
	for _, project := range projects {
		if _, err := pg.Exec(ctx, t, lockDeployOrder, pg.Args{"project_id": project.ID}); err != nil { // before issues, in the order of a deploy
			return outcome, err
		}
	}
	if err := t.keepSteps(ctx, d.Repository, d.Steps); err != nil {
		return outcome, err
	}
	for _, project := range projects { // in the order of their ids, so that no two reports wait for each other
		c := scmChange{tx: t, project: project.ID, actor: actor, outcome: &outcome}
		if err := c.apply(ctx, d); err != nil {
			return outcome, err
		}
	}
	return outcome, nil
}

// RememberReport remembers a report that does nothing, and reports whether it was known already.
func (s *Store) RememberReport(ctx context.Context, keys []core.SCMKey) (isDuplicate bool, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		isDuplicate, err = t.rememberReport(ctx, keys)
		return err
	})
	return isDuplicate, err
}

const (
	addReports = `
INSERT INTO scm_deliveries (key, received_at) SELECT unnest(@keys::text[]), @now ON CONFLICT DO NOTHING`
	forgetBodies = `DELETE FROM scm_deliveries WHERE key = ANY (@keys::text[]) AND received_at < @before`
)

func (t *tx) rememberReport(ctx context.Context, keys []core.SCMKey) (isDuplicate bool, err error) {
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
	n, err := pg.Exec(ctx, t, addReports, pg.Args{"keys": hashes, "now": t.Now})
	return n < int64(len(hashes)), err
}

const (
	// keepReports is how long a report is remembered. GitHub can send one again on request for a few days.
	keepReports = 30 * 24 * time.Hour
	// keepBodies is how long a report is identified by its body alone: as long as senders retry. After that it is a new
	// report, for instance when a script whose deployments have no id deploys the same commit again.
	keepBodies = 10 * time.Minute
	// deletionChunk bounds the rows of one deletion, so that no transaction is long.
	deletionChunk = 10_000
)

const deleteReports = `
DELETE FROM scm_deliveries WHERE key IN (SELECT key FROM scm_deliveries WHERE received_at < @before LIMIT @chunk)`

// DropReports deletes reports of source control from more than 30 days ago, and old pushes.
func (s *Store) DropReports(ctx context.Context) error {
	if err := s.deleteInChunks(ctx, deleteReports, s.Now().Add(-keepReports)); err != nil {
		return err
	}
	if err := s.deleteInChunks(ctx, dropChangedPullRequests, s.Now().Add(-keepChangedPullRequests)); err != nil {
		return err
	}
	return s.dropPushes(ctx)
}
