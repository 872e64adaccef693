package intake

import "errand/store/activity"

// spikesWanted is the condition that a webhook wants spikes.
const spikesWanted = `EXISTS (SELECT 1 FROM webhooks WHERE spike_threshold IS NOT NULL AND deleted_at IS NULL)`

// insertSpikes decides what a spike is: an issue with more events in the running clock hour than a webhook's spike_threshold. It is a
// part of countSpikes, whose parameters and new counts (of_issues) it reads in the same transaction, so that it is exact: everybody
// who counts on an issue holds its row. A webhook is told once for each issue and clock hour; the table spikes has whom it was told.
// A batch makes at most 1,000 of these deliveries, as the ids of one change allow; the rest follows with the next event. Where no
// webhook wants spikes, batches have countHours instead, and countIssues checks that this is still so.
const insertSpikes = `
	INSERT INTO spikes (project_id, issue_id, webhook_id, hour)
	SELECT h.project_id, h.issue_id, w.id, h.hour
	FROM of_issues h
	JOIN webhooks w ON coalesce(w.project_id, h.project_id) = h.project_id AND h.events > w.spike_threshold
	JOIN projects p ON p.id = h.project_id
	LEFT JOIN project_seen s ON s.project_id = h.project_id
	CROSS JOIN LATERAL (
		SELECT greatest(s.client_seen_at, max(n.client_at)) AS client_seen, $14::timestamptz AS client_since
		FROM unnest($6::bigint[], $11::timestamptz[]) AS n (project_id, client_at)
		WHERE n.project_id = h.project_id
	) t
	WHERE ` + spikesWanted + `
		AND h.hour = date_trunc('hour', $13::timestamptz, 'UTC')
		AND w.deleted_at IS NULL
		AND p.deleted_at IS NULL
		AND (NOT p.demo OR w.project_id IS NOT NULL)
		AND (w.min_trust = 'low' OR ` + activity.IsTrusted + `) -- as for all deliveries
		AND NOT EXISTS (
			SELECT 1 FROM spikes k
			WHERE k.project_id = h.project_id AND k.issue_id = h.issue_id AND k.webhook_id = w.id AND k.hour = h.hour)
	LIMIT $16
	ON CONFLICT DO NOTHING
	RETURNING project_id, issue_id, webhook_id`
