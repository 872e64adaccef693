package store

import (
	"context"

	"errand/store/pg"
	"errand/store/watch"
)

// The waiting fixes by commits that were taken back. A commit may be on several branches: on a branch other than the default one only
// the fixes of that branch are gone.
const revertedFixes = `
SELECT ` + watch.Columns + `, f.linked_by_type = 'system' AND f.linked_by = 'scm' AS is_hooked
FROM fixes f
JOIN issues i ON i.project_id = f.project_id AND i.id = f.issue_id AND i.fix_id = f.id AND i.status = 'fix_pending'
WHERE f.project_id = @project_id AND f.deployed_at IS NULL AND f.closed_at IS NULL
	AND (f.branch = @branch OR @branch = '')
	AND EXISTS (SELECT 1 FROM unnest(@reverted::text[]) AS r (commit)
		WHERE starts_with(f.ref, r.commit) OR starts_with(r.commit, f.ref)
			OR f.merge_commit <> '' AND (starts_with(f.merge_commit, r.commit) OR starts_with(r.commit, f.merge_commit)))
ORDER BY i.id FOR UPDATE OF i`

// endReverted gives back the fixes by commits that a push takes back. A fix linked by a call stays, and a note says it.
func (c scmChange) endReverted(ctx context.Context, d RepositoryChange) error {
	if len(d.Reverted) == 0 {
		return nil
	}
	reverted, err := pg.QueryMany[endedFix](ctx, c, revertedFixes, pg.Args{
		"project_id": c.project, "branch": d.Branch, "reverted": d.Reverted,
	})
	if err != nil {
		return err
	}
	for _, fix := range reverted {
		if fix.IsHooked {
			err = c.giveBack(ctx, fix.Fix, "it was reverted")
		} else {
			err = c.noteEnd(ctx, fix.Fix, "The fix "+fix.Ref+" was reverted. It is still linked.")
		}
		if err != nil {
			return err
		}
	}
	return nil
}
