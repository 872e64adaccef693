package manage

import "errand/core"

var healthOperations = []*core.Operation{GetHealth.Operation}

// Health says that the server answers.
type Health struct {
	Status    string `json:"status" enum:"ok"`
	Timestamp Time   `json:"timestamp" always:"true"`
}

// GetHealth declares GET /api/v1/health. It needs no key and does not ask the database.
var GetHealth = core.DefineOperation[struct{}, Health](core.Operation{
	Name: "get_health", Route: "GET /api/v1/health", Scope: core.NoToken,
	Summary:     "Check the server",
	Description: "Reports that the server answers. It needs no API key and does not touch the database.",
	Example:     `{}`,
})
