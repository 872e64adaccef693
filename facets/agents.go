package facets

import (
	"cmp"

	"github.com/mileusna/useragent"
)

// DescribeBrowser says which browser a User-Agent names, such as "Firefox 145 on Linux"; empty when it names none.
func DescribeBrowser(userAgent string) string {
	agent := useragent.Parse(userAgent[:min(len(userAgent), 5*maxValue)])
	browser, system := joinVersion(agent.Name, agent.Version), cmp.Or(agent.Device, agent.OS)
	if browser == "" || system == "" {
		return cutValue(cmp.Or(browser, system))
	}
	return cutValue(browser + " on " + system)
}
