package intake

import (
	"context"
	"time"

	"github.com/klauspost/compress/zstd"

	"errand/store/pg"
)

// What a dictionary is made of.
const (
	maxSamples      = 300
	samplesPerIssue = 5
	dictionarySize  = 64 << 10
	sampleSize      = 16 << 10
)

// Projects that sent enough events lately to learn from, and have no dictionary that is young.
const untrainedProjects = `
SELECT h.project_id FROM project_hours h JOIN projects p ON p.id = h.project_id AND p.deleted_at IS NULL
WHERE h.hour >= @day_ago AND NOT EXISTS (SELECT 1 FROM dictionaries d WHERE d.project_id = h.project_id AND d.created_at > @week_ago)
GROUP BY h.project_id HAVING sum(h.events) >= @enough ORDER BY h.project_id`

// UntrainedProjects gives the projects that sent at least so many events in the last day and have had no new dictionary
// for a week.
func (w *Writer) UntrainedProjects(ctx context.Context, enough int) ([]int64, error) {
	now := w.db.Now()
	rows, err := pg.QueryMany[struct{ ProjectID int64 }](ctx, w.db.Main, untrainedProjects, pg.Args{
		"day_ago": now.Add(-24 * time.Hour), "week_ago": now.AddDate(0, 0, -7), "enough": enough,
	})
	list := make([]int64, len(rows))
	for i, r := range rows {
		list[i] = r.ProjectID
	}
	return list, err
}

const insertDictionary = `INSERT INTO dictionaries (project_id, id, created_at, content) VALUES (@project_id, @id, @now, @content)`

// TrainDictionary makes a dictionary of a project's recent events, with which its next ones are compressed.
func (w *Writer) TrainDictionary(ctx context.Context, project int64) error {
	samples, err := w.sampleEvents(ctx, project)
	if err != nil || len(samples) == 0 {
		return err
	}
	content, err := buildDictionary(samples)
	if err != nil {
		return err
	}
	id, err := w.db.IDs.TakeOne(ctx, dictionaryIDs)
	if err != nil {
		return err
	}
	_, err = pg.Exec(ctx, w.db.Main, insertDictionary, pg.Args{"project_id": project, "id": id, "now": w.db.Now(), "content": content})
	w.dictionaries.packers.Remove(project)
	return err
}

// The newest events of issues that were seen lately, in turns from each kind of issue: those that were seen last may all
// be of one kind, and the events of the others would be stored as if there was no dictionary.
const sampleEvents = `
SELECT e.payload, e.dictionary FROM (
	SELECT *, row_number() OVER (PARTITION BY platform, type ORDER BY listed_from DESC, id DESC) AS turn
	FROM (SELECT * FROM issues WHERE project_id = @project_id ORDER BY listed_from DESC, id DESC LIMIT 2000) lately
	ORDER BY turn, listed_from DESC, id DESC LIMIT @most
) i CROSS JOIN LATERAL (
	SELECT *, row_number() OVER (ORDER BY received_at DESC, id DESC) AS nth FROM (
		SELECT * FROM events WHERE project_id = i.project_id AND issue_id = i.id
		ORDER BY received_at DESC, id DESC LIMIT @each) newest
) e ORDER BY e.nth, i.turn, i.listed_from DESC, i.id DESC LIMIT @most`

// sampleEvents gives the stored form of recent events of a project.
func (w *Writer) sampleEvents(ctx context.Context, project int64) ([][]byte, error) {
	rows, err := pg.QueryMany[struct {
		Payload    []byte
		Dictionary int64
	}](ctx, w.db.Main, sampleEvents, pg.Args{"project_id": project, "each": samplesPerIssue, "most": maxSamples})
	if err != nil {
		return nil, err
	}
	list := make([][]byte, len(rows))
	for i, r := range rows {
		if list[i], err = w.unpackText(ctx, project, Payload{Bytes: r.Payload, Dictionary: r.Dictionary}); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// buildDictionary puts together the samples that help most: first those that the ones before explain worst, measured by
// how well they compress with them. Text as it is serves better than the dictionaries that the library builds: real
// events of 2.6 KB take 362 bytes with it, and 735 with those.
func buildDictionary(samples [][]byte) ([]byte, error) {
	var content, packed []byte
	explained, err := newPacker()
	if err != nil {
		return nil, err
	}
	taken := make([]bool, len(samples))
	for _, worst := range []int{2, 4, 8} {
		for i, sample := range samples {
			sample = sample[:min(len(sample), sampleSize)]
			if taken[i] || len(content)+len(sample) > dictionarySize {
				continue
			}
			if packed = explained.EncodeAll(sample, packed[:0]); len(content) > 0 && len(packed)*worst < len(sample) {
				continue
			}
			taken[i], content = true, append(content, sample...)
			if explained, err = newPacker(zstd.WithEncoderDictRaw(1, content), zstd.WithEncoderConcurrency(1)); err != nil {
				return nil, err
			}
		}
	}
	return content, nil
}
