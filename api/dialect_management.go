package api

import (
	_ "embed" // openapi_management.md

	"github.com/danielgtaylor/huma/v2"

	"errand/core"
	"errand/core/manage"
)

// managementPage is the path of the management API's page.
const managementPage = "/docs/management"

const schemeAPIKey = "apiKey"

//go:embed openapi_management.md
var managementDescription string

// newManagementDialect is the dialect of the management API at /api/v1.
func newManagementDialect() *dialect {
	return &dialect{
		catalogue: manage.V1, title: "Errand: management API", description: managementDescription, docsPath: managementPage,
		docsTitle: "Management API", page: "management",
		scopeWord: "Permission",
		schemes: map[string]*huma.SecurityScheme{schemeAPIKey: {
			Type: "apiKey", In: "header", Name: manage.KeyHeader,
			Description: "An API key (cka_..) with the permission that the operation needs.",
		}},
		usualScheme: schemeAPIKey,
		scopeName:   "x-required-permission",
		scopes:      manage.AllPermissions(),
		schemesOf: func(op *core.Operation) []map[string][]string {
			if op.Scope == core.NoToken {
				return []map[string][]string{{}}
			}
			return []map[string][]string{{schemeAPIKey: {}}}
		},
		scopeOf:    manage.PermissionOf,
		codesOf:    manage.CodesOf,
		resourceOf: manage.ResourceOf,
		wrapperOf:  manage.FindWrapper,
		keyOf: func(op *core.Operation) string {
			if op.Scope == core.NoToken {
				return ""
			}
			return manage.KeyHeader + ": $API_KEY"
		},
		dropsUnknown: true,
	}
}

// DescribeManagement returns the OpenAPI document of the management API. It panics as the documents of New do.
func DescribeManagement(version string) []byte { return newManagementDialect().describeAll(version) }
