package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync"

	"errand/wire"
)

//go:embed style/*.css script/*.js icon.svg
var assetFiles embed.FS

// Templates ask for the path of an asset by its name.
const (
	styleAsset  = "style.css"
	scriptAsset = "script.js"
	iconAsset   = "icon.svg"
)

// iconPath is where browsers look for the icon of an answer that is not a page.
const iconPath = "/favicon.ico"

// assets are the style sheet, the script and the icon of all pages. Each path has a digest of the content, so a browser may keep the file
// for ever.
var assets = map[string]asset{
	styleAsset: newAsset(styleAsset, "text/css; charset=utf-8", "style/tokens.css", "style/base.css", "style/frame.css", "style/parts.css",
		"style/rows.css", "style/issues.css", "style/issue.css", "style/welcome.css", "style/docs.css",
		"style/project.css", "style/settings.css"),
	scriptAsset: newAsset(scriptAsset, "text/javascript; charset=utf-8", "script/main.js", "script/keys.js", "script/live.js"),
	iconAsset:   newAsset(iconAsset, "image/svg+xml", "icon.svg"),
}

// asset is a file that is served as it is.
type asset struct {
	path, contentType string
	body              func() wire.CompressedBody // compressed for the first request
}

// newAsset joins files into an asset.
func newAsset(name, contentType string, files ...string) asset {
	var joined bytes.Buffer
	for _, file := range files {
		text, err := assetFiles.ReadFile(file)
		if err != nil {
			panic(fmt.Sprintf("web: %v", err)) // the program was built without it
		}
		joined.Write(text)
	}
	sum := sha256.Sum256(joined.Bytes())
	return asset{"/web/" + hex.EncodeToString(sum[:8]) + "/" + name, contentType,
		sync.OnceValue(func() wire.CompressedBody { return wire.CompressBody(joined.Bytes()) })}
}

// AssetPath returns the path of the asset with the name, such as style.css.
func AssetPath(name string) string { return assets[name].path }

// AssetRoutes returns the handlers of the assets by their paths. Pages of other packages use the style sheet too.
func AssetRoutes() map[string]http.Handler {
	routes := map[string]http.Handler{}
	for _, a := range assets {
		routes[a.path] = serveAsset(a, "public, max-age=31536000, immutable")
	}
	routes[iconPath] = serveAsset(assets[iconAsset], "public, max-age=86400")
	return routes
}

func serveAsset(a asset, keep string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", allowedMethods(true, false))
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Cache-Control", keep)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		a.body().Write(w, r, http.StatusOK, a.contentType)
	})
}
