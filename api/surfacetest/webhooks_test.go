package surfacetest_test

import "errand/core"

// webhookCases are parityCases of webhooks and their deliveries.
var webhookCases = []parityCase{
	{core.ListWebhooks.Operation, success, "admin", `{}`},
	{core.ListAlerts.Operation, success, "reader", `{}`},

	{core.TestWebhook.Operation, success, "admin", `{"id": $webhook}`},
	{core.TestWebhook.Operation, core.NotFound, "admin", `{"id": $missing}`},

	{core.ListDeliveries.Operation, success, "admin", `{"id": $webhook}`},
	{core.ListDeliveries.Operation, success, "admin", `{"id": "$webhook", "limit": 1, "cursor": "$deliverycursor"}`},
	{core.ListDeliveries.Operation, core.NotFound, "admin", `{"id": $missing}`},
	{core.ListDeliveries.Operation, core.InvalidRequest, "admin", `{"id": $webhook, "cursor": "$eventcursor"}`},

	{core.ResendDelivery.Operation, success, "admin", `{"id": $webhook, "delivery_id": $ended}`},
	{core.ResendDelivery.Operation, core.NotFound, "admin", `{"id": $webhook, "delivery_id": $missing}`},
	{core.ResendDelivery.Operation, core.NotFound, "admin", `{"id": $missing, "delivery_id": $ended}`},
	{core.ResendDelivery.Operation, core.DeliveryIsPending, "admin", `{"id": $webhook, "delivery_id": $pending}`},
}
