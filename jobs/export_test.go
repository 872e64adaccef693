package jobs

import "context"

// SealWebhooks runs the job once.
func SealWebhooks(ctx context.Context, o Options) error { return o.sealWebhooks(ctx) }
