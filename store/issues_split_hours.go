package store

// The statements that move events of an issue to the new issue of a split, hour by hour.
const (
	// The hour of an event may have been folded into its day since.
	splitHours = `
INSERT INTO issue_hours (project_id, issue_id, hour, events, fives)
SELECT s.project_id, @id, m.hour, m.events, m.fives
FROM project_seen s, (
	SELECT coalesce(h.hour, date_trunc('hour', m.at, 'UTC')) AS hour, count(*) AS events,
		CASE WHEN bool_or(h.hour <> date_trunc('hour', m.at, 'UTC')) THEN 0
			ELSE bit_or(1 << (extract(minute FROM m.at AT TIME ZONE 'UTC')::int / 5)) END AS fives
	FROM unnest(@times::timestamptz[]) AS m (at)
	LEFT JOIN LATERAL (
		SELECT hour FROM issue_hours WHERE project_id = @project_id AND issue_id = @original AND (hour = date_trunc('hour', m.at, 'UTC')
			OR hour = date_trunc('day', m.at, 'UTC') AND m.at < @folded_before)
		ORDER BY hour DESC LIMIT 1
	) h ON true
	GROUP BY 1
) m
WHERE s.project_id = @project_id`
	keepHours = `
UPDATE issue_hours h SET events = greatest(h.events - m.events, 0) FROM issue_hours m
WHERE h.project_id = @project_id AND h.issue_id = @original AND m.project_id = @project_id AND m.issue_id = @id AND h.hour = m.hour`
	forgetHours = `DELETE FROM issue_hours WHERE project_id = @project_id AND issue_id = @original AND events = 0`
)
