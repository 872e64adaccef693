package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
	"errand/triage"
)

// triageRow is the part of an issue's row for its triage: facts about its first event, and its corrections.
type triageRow struct {
	CrashSite    triage.CrashSite
	Handled      *bool
	Category     *core.Category
	Severity     *int
	Transient    *bool
	AgentFixable *bool
	Noise        *bool
	CorrectedBy  *string
}

const triageColumns = `i.crash_site, i.handled, c.category, c.severity, c.transient, c.agent_fixable, c.noise, c.corrected_by`

func (r triageRow) toCrash() triage.Crash { return triage.Crash{Site: r.CrashSite, Handled: r.Handled} }

// toTriage computes the triage of an issue when it is read, like priority. Only the corrections are stored.
func (r triageRow) toTriage(i *core.Issue) core.Triage {
	model := triage.JudgeIssue(i, r.toCrash())
	if r.CorrectedBy == nil {
		return model
	}
	return triage.CorrectTriage(model, core.TriageChange{
		Category: r.Category, Severity: r.Severity, Transient: r.Transient, AgentFixable: r.AgentFixable, Noise: r.Noise,
	}, *r.CorrectedBy)
}

// A later correction keeps the fields of an earlier one that it does not name.
const correctTriage = `
INSERT INTO triage_corrections AS c
	(project_id, issue_id, category, severity, transient, agent_fixable, noise, corrected_by)
VALUES (@project_id, @issue_id, @category, @severity, @transient, @agent_fixable, @noise, @corrected_by)
ON CONFLICT (project_id, issue_id) DO UPDATE SET
	category = coalesce(excluded.category, c.category),
	severity = coalesce(excluded.severity, c.severity),
	transient = coalesce(excluded.transient, c.transient),
	agent_fixable = coalesce(excluded.agent_fixable, c.agent_fixable),
	noise = coalesce(excluded.noise, c.noise),
	corrected_by = excluded.corrected_by`

// Lists filter by what the correction says.
const correctNoise = `UPDATE issues SET noise = @noise WHERE project_id = @project_id AND id = @issue_id`

// triageCorrection is the data of a correction's activity. From is the model's answer at that time (primary API, Triage
// label).
type triageCorrection struct {
	From core.Triage       `json:"from"`
	To   core.TriageChange `json:"to"`
	Note core.Text         `json:"note"`
}

// CorrectTriage replaces the fields of an issue's triage that the change names.
func (s *Store) CorrectTriage(ctx context.Context, actor core.Actor, id int64, to core.TriageChange, note string) error {
	_, err := s.changeIssue(ctx, actor, id, func(c *issueChange) error {
		row, err := readIssue(ctx, c.store.db, c, c.project, id, c.Now)
		if err != nil {
			return err
		}
		issue := row.toIssue(c.Now)
		model := triage.JudgeIssue(&issue, row.toCrash())
		_, err = pg.Exec(ctx, c, correctTriage, pg.Args{
			"project_id": c.project, "issue_id": id, "category": to.Category, "severity": to.Severity, "transient": to.Transient,
			"agent_fixable": to.AgentFixable, "noise": to.Noise, "corrected_by": actor.Name,
		})
		if err != nil {
			return err
		}
		if to.Noise != nil {
			_, err := pg.Exec(ctx, c, correctNoise, pg.Args{"project_id": c.project, "issue_id": id, "noise": *to.Noise})
			if err != nil {
				return err
			}
		}
		_, err = c.recordChange(ctx, core.ActionIssueTriage, triageCorrection{From: model, To: to, Note: core.Text(note)})
		return err
	})
	return err
}
