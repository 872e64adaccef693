package envelope

import "strings"

// Source says where the code that sent an event runs, which decides how far its text is to be trusted.
type Source string

// The sources of events (decisions 3).
const (
	Server        Source = "server"
	Browser       Source = "browser"
	Mobile        Source = "mobile"
	UnknownSource Source = "unknown"
)

// SourceOf tells the source of an event by the SDK's name, and by the platform where the name does not settle it.
func SourceOf(sdkName, platform string) Source {
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
	return UnknownSource
}

// sdkSources is read from the top; the first prefix of the name's parts wins. An empty source leaves it to the platform:
// frameworks that render on both sides have one name for both.
var sdkSources = []struct {
	prefix string
	source Source
}{
	{"sentry.javascript.react-native", Mobile},
	{"sentry.javascript.capacitor", Mobile},
	{"sentry.javascript.cordova", Mobile},
	{"sentry.javascript.nativescript", Mobile},
	{"sentry.javascript.electron", UnknownSource}, // on a desktop
	{"sentry.javascript.browser", Browser},
	{"sentry.javascript.react", Browser},
	{"sentry.javascript.vue", Browser},
	{"sentry.javascript.angular", Browser},
	{"sentry.javascript.angular-ivy", Browser},
	{"sentry.javascript.svelte", Browser},
	{"sentry.javascript.solid", Browser},
	{"sentry.javascript.ember", Browser},
	{"sentry.javascript.gatsby", Browser},
	{"sentry.javascript.wasm", Browser},
	{"sentry.javascript.node", Server},
	{"sentry.javascript.nestjs", Server},
	{"sentry.javascript.bun", Server},
	{"sentry.javascript.deno", Server},
	{"sentry.javascript.cloudflare", Server},
	{"sentry.javascript.vercel-edge", Server},
	{"sentry.javascript.aws-serverless", Server},
	{"sentry.javascript.google-cloud-serverless", Server},
	{"sentry.javascript.serverless", Server},
	{"sentry.javascript", ""},
	{"raven-js", Browser},
	{"raven-node", Server},

	{"sentry.java.android", Mobile},
	{"sentry.android", Mobile},
	{"sentry-android", Mobile},
	{"sentry.native.android", Mobile},
	{"sentry.kotlin", Mobile},
	{"sentry.cocoa", Mobile},
	{"sentry-cocoa", Mobile},
	{"sentry-swift", Mobile},
	{"sentry.swift", Mobile},
	{"sentry.dart", Mobile},
	{"sentry.flutter", Mobile},
	{"sentry.unity", Mobile},
	{"sentry.dotnet.unity", Mobile},
	{"sentry.dotnet.maui", Mobile},
	{"sentry.dotnet.xamarin", Mobile},
	{"sentry.dotnet.cocoa", Mobile},
	{"sentry.dotnet.android", Mobile},
	{"sentry.dotnet.blazor.webassembly", Browser},
	{"sentry.native", UnknownSource}, // games and desktops
	{"sentry.unreal", UnknownSource},
	{"sentry.godot", UnknownSource},

	{"sentry.python", Server},
	{"sentry.go", Server},
	{"sentry.ruby", Server},
	{"sentry.php", Server},
	{"sentry.java", Server},
	{"sentry.dotnet", Server},
	{"sentry.rust", Server},
	{"sentry.elixir", Server},
	{"sentry.perl", Server},
	{"sentry.haskell", Server},
	{"sentry-go", Server},
	{"sentry-java", Server},
	{"sentry-elixir", Server},
	{"sentry-laravel", Server},
	{"sentry-php", Server},
	{"sentry-ruby", Server},
	{"sentry-rust", Server},
	{"raven-python", Server},
	{"raven-ruby", Server},
	{"raven-java", Server},
	{"raven-go", Server},
}

var platformSources = map[string]Source{
	"javascript": Browser,

	"android": Mobile, "java.android": Mobile, "cocoa": Mobile, "objc": Mobile, "swift": Mobile, "ios": Mobile,
	"dart": Mobile, "flutter": Mobile, "react-native": Mobile, "unity": Mobile, "capacitor": Mobile, "maui": Mobile,

	"node": Server, "bun": Server, "deno": Server, "python": Server, "ruby": Server, "php": Server, "go": Server,
	"java": Server, "kotlin": Server, "scala": Server, "groovy": Server, "clojure": Server, "csharp": Server,
	"fsharp": Server, "vb": Server, "dotnet": Server, "elixir": Server, "erlang": Server, "rust": Server, "perl": Server,
	"haskell": Server, "crystal": Server,
}
