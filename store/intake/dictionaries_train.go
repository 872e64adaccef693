package intake

import (
	"context"
	"time"

	"github.com/klauspost/compress/zstd"

	"errand/store/pg"
)

// Limits of a dictionary and of the samples that it is made of.
const (
	maxSamples      = 300
	samplesPerIssue = 5
	dictionarySize  = 64 << 10
	sampleSize      = 16 << 10
)

// Projects that recently sent enough events to learn from, and have no young dictionary.
const findUntrainedProjects = `
SELECT h.project_id FROM project_hours h JOIN projects p ON p.id = h.project_id AND p.deleted_at IS NULL
WHERE h.hour >= @day_ago AND NOT EXISTS (SELECT 1 FROM dictionaries d WHERE d.project_id = h.project_id AND d.created_at > @week_ago)
GROUP BY h.project_id HAVING sum(h.events) >= @enough ORDER BY h.project_id`

// UntrainedProjects returns the projects that sent at least the given number of events in the last day and got no new
// dictionary within a week.
func (w *Writer) UntrainedProjects(ctx context.Context, enough int) ([]int64, error) {
	now := w.db.Now()
	rows, err := pg.QueryMany[struct{ ProjectID int64 }](ctx, w.db.Main, findUntrainedProjects, pg.Args{
		"day_ago": now.Add(-24 * time.Hour), "week_ago": now.AddDate(0, 0, -7), "enough": enough,
	})
	list := make([]int64, len(rows))
	for i, r := range rows {
		list[i] = r.ProjectID
	}
	return list, err
}

const insertDictionary = `INSERT INTO dictionaries (project_id, id, created_at, content) VALUES (@project_id, @id, @now, @content)`

// TrainDictionary makes a dictionary from a project's recent events, for compressing the next ones.
func (w *Writer) TrainDictionary(ctx context.Context, project int64) error {
	samples, err := w.readSamples(ctx, project)
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

// The newest events of recently seen issues, in turns from each kind of issue: the last seen issues may all be of one kind,
// and then a dictionary would not help the events of the other kinds.
const selectSamples = `
SELECT e.payload, e.dictionary FROM (
	SELECT *, row_number() OVER (PARTITION BY platform, type ORDER BY listed_from DESC, id DESC) AS turn
	FROM (SELECT * FROM issues WHERE project_id = @project_id ORDER BY listed_from DESC, id DESC LIMIT 2000) lately
	ORDER BY turn, listed_from DESC, id DESC LIMIT @most
) i CROSS JOIN LATERAL (
	SELECT *, row_number() OVER (ORDER BY received_at DESC, id DESC) AS nth FROM (
		SELECT * FROM events WHERE project_id = @project_id AND issue_id = i.id
		ORDER BY received_at DESC, id DESC LIMIT @each) newest
) e ORDER BY e.nth, i.turn, i.listed_from DESC, i.id DESC LIMIT @most`

// readSamples returns the stored form of a project's recent events.
func (w *Writer) readSamples(ctx context.Context, project int64) ([][]byte, error) {
	rows, err := pg.QueryMany[struct {
		Payload    []byte
		Dictionary int64
	}](ctx, w.db.Main, selectSamples, pg.Args{"project_id": project, "each": samplesPerIssue, "most": maxSamples})
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

// buildDictionary joins the samples that help most. It prefers samples that compress worst with the ones chosen before.
// Plain text works better than the dictionaries that the library builds: real events of 2.6 KB take 362 bytes instead of 735.
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
