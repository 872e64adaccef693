package envelope

import (
	"strings"

	"errand/core"
)

// SourceOf returns the source of an event by the SDK's name, or by the platform when the name does not decide it.
func SourceOf(sdkName, platform string) core.Source {
	name := strings.ToLower(sdkName)
	for _, rule := range sdkSources {
		if rest, ok := strings.CutPrefix(name, rule.prefix); ok && (rest == "" || rest[0] == '.' || rest[0] == '-') {
			if rule.source != "" {
				return rule.source
			}
			break
		}
	}
	if source, ok := platformSources[strings.ToLower(platform)]; ok {
		return source
	}
	return core.SourceUnknown
}

// sdkSources is read from the top; the first prefix of the name's parts wins. An empty source leaves the decision to the
// platform: frameworks that render on both sides have one name for both.
var sdkSources = []struct {
	prefix string
	source core.Source
}{
	{"sentry.javascript.react-native", core.SourceMobile},
	{"sentry.javascript.capacitor", core.SourceMobile},
	{"sentry.javascript.cordova", core.SourceMobile},
	{"sentry.javascript.nativescript", core.SourceMobile},
	{"sentry.javascript.electron", core.SourceUnknown}, // on a desktop
	{"sentry.javascript.browser", core.SourceBrowser},
	{"sentry.javascript.react-router", ""},
	{"sentry.javascript.react", core.SourceBrowser},
	{"sentry.javascript.vue", core.SourceBrowser},
	{"sentry.javascript.angular", core.SourceBrowser},
	{"sentry.javascript.angular-ivy", core.SourceBrowser},
	{"sentry.javascript.svelte", core.SourceBrowser},
	{"sentry.javascript.solid", core.SourceBrowser},
	{"sentry.javascript.ember", core.SourceBrowser},
	{"sentry.javascript.gatsby", ""}, // builds pages on a server
	{"sentry.javascript.wasm", core.SourceBrowser},
	{"sentry.javascript.node", core.SourceServer},
	{"sentry.javascript.nestjs", core.SourceServer},
	{"sentry.javascript.bun", core.SourceServer},
	{"sentry.javascript.deno", core.SourceServer},
	{"sentry.javascript.cloudflare", core.SourceServer},
	{"sentry.javascript.vercel-edge", core.SourceServer},
	{"sentry.javascript.aws-serverless", core.SourceServer},
	{"sentry.javascript.google-cloud-serverless", core.SourceServer},
	{"sentry.javascript.serverless", core.SourceServer},
	{"sentry.javascript", ""},
	{"raven-js", core.SourceBrowser},
	{"raven-node", core.SourceServer},

	{"sentry.java.android", core.SourceMobile},
	{"sentry.android", core.SourceMobile},
	{"sentry-android", core.SourceMobile},
	{"sentry.native.android", core.SourceMobile},
	{"sentry.kotlin", core.SourceMobile},
	{"sentry.cocoa", core.SourceMobile},
	{"sentry-cocoa", core.SourceMobile},
	{"sentry-swift", core.SourceMobile},
	{"sentry.swift", core.SourceMobile},
	{"sentry.dart", core.SourceMobile},
	{"sentry.flutter", core.SourceMobile},
	{"sentry.unity", core.SourceMobile},
	{"sentry.dotnet.unity", core.SourceMobile},
	{"sentry.dotnet.maui", core.SourceMobile},
	{"sentry.dotnet.xamarin", core.SourceMobile},
	{"sentry.dotnet.cocoa", core.SourceMobile},
	{"sentry.dotnet.android", core.SourceMobile},
	{"sentry.dotnet.blazor.webassembly", core.SourceBrowser},
	{"sentry.native", core.SourceUnknown}, // games and desktops
	{"sentry.unreal", core.SourceUnknown},
	{"sentry.godot", core.SourceUnknown},

	{"sentry.python", core.SourceServer},
	{"sentry.go", core.SourceServer},
	{"sentry.ruby", core.SourceServer},
	{"sentry.php", core.SourceServer},
	{"sentry.java", core.SourceServer},
	{"sentry.dotnet", core.SourceServer},
	{"sentry.rust", core.SourceServer},
	{"sentry.elixir", core.SourceServer},
	{"sentry.perl", core.SourceServer},
	{"sentry.haskell", core.SourceServer},
	{"sentry-go", core.SourceServer},
	{"sentry-java", core.SourceServer},
	{"sentry-elixir", core.SourceServer},
	{"sentry-laravel", core.SourceServer},
	{"sentry-php", core.SourceServer},
	{"sentry-ruby", core.SourceServer},
	{"sentry-rust", core.SourceServer},
	{"raven-python", core.SourceServer},
	{"raven-ruby", core.SourceServer},
	{"raven-java", core.SourceServer},
	{"raven-go", core.SourceServer},
	{"sentry-cli", core.SourceServer}, // in scripts and on build machines
}

var platformSources = map[string]core.Source{
	"javascript": core.SourceBrowser,

	"android":      core.SourceMobile,
	"java.android": core.SourceMobile,
	"cocoa":        core.SourceMobile,
	"objc":         core.SourceMobile,
	"swift":        core.SourceMobile,
	"ios":          core.SourceMobile,
	"dart":         core.SourceMobile,
	"flutter":      core.SourceMobile,
	"react-native": core.SourceMobile,
	"unity":        core.SourceMobile,
	"capacitor":    core.SourceMobile,
	"maui":         core.SourceMobile,

	"node":    core.SourceServer,
	"bun":     core.SourceServer,
	"deno":    core.SourceServer,
	"python":  core.SourceServer,
	"ruby":    core.SourceServer,
	"php":     core.SourceServer,
	"go":      core.SourceServer,
	"java":    core.SourceServer,
	"kotlin":  core.SourceServer,
	"scala":   core.SourceServer,
	"groovy":  core.SourceServer,
	"clojure": core.SourceServer,
	"csharp":  core.SourceServer,
	"fsharp":  core.SourceServer,
	"vb":      core.SourceServer,
	"dotnet":  core.SourceServer,
	"elixir":  core.SourceServer,
	"erlang":  core.SourceServer,
	"rust":    core.SourceServer,
	"perl":    core.SourceServer,
	"haskell": core.SourceServer,
	"crystal": core.SourceServer,
}
