package envelope

import (
	"strings"

	"errand/core"
)

// decideInApp separates the application's code from libraries where the SDK did not (decisions 4: in-app frames make the group).
func (d *decoder) decideInApp() {
	for i := range d.scratch.undecided {
		u := &d.scratch.undecided[i]
		platform := u.origin.platform
		if platform == "" {
			platform = d.event.Platform
		}
		u.frame.InApp = !isLibrary(platform, u.frame, u.origin.library)
	}
	d.correctInApp()
}

// correctInApp corrects SDKs that mark frames as the application's which cannot be.
func (d *decoder) correctInApp() {
	correct, sdk := correctionOf(d.event.Platform), string(d.event.SDK.Name)
	if correct == nil {
		return
	}
	for i := range d.event.Exceptions {
		correct(d.event.Exceptions[i].Frames, sdk)
	}
	for i := range d.event.Threads {
		correct(d.event.Threads[i].Frames, sdk)
	}
}

func correctionOf(platform string) func(frames []core.Frame, sdk string) {
	switch platform {
	case "rust":
		return correctRust
	case "native", "c":
		return correctNative
	case "go":
		return correctGo
	case "ruby":
		return correctRuby
	}
	return nil
}

// isInFolder reports whether a file is in one of the folders, which are written as /folder/, on Windows too. The path may begin
// with a folder.
func isInFolder(path string, folders []string) bool {
	if strings.IndexByte(path, '\\') >= 0 {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	for _, folder := range folders {
		if strings.Contains(path, folder) || strings.HasPrefix(path, folder[1:]) {
			return true
		}
	}
	return false
}

// fileOf returns the file of a frame in the form with the most folders.
func fileOf(f *core.Frame) string {
	if f.AbsPath != "" {
		return string(f.AbsPath)
	}
	return string(f.Filename)
}

// libraryRules recognise the code of libraries on a platform.
type libraryRules struct {
	paths             []string // parts of the file's path
	runtimeFile       string   // the file that an engine names for its own code
	modules           []string // prefixes of its module, or of its function when it has no module
	unplacedIsRuntime bool     // a file without a folder belongs to the runtime
	namelessIsRuntime bool     // a frame without a file belongs to the runtime
}

// isLibrary reports whether a frame looks like one of a library or of the runtime. The parameter library is the file that the
// code was loaded from, if known.
func isLibrary(platform string, frame *core.Frame, library string) bool {
	switch platform {
	case "go":
		return isGoLibrary(frame)
	case "rust":
		return isRustLibrary(frame) || isRustLibraryPath(library)
	}
	rules, ok := librariesOf(platform)
	if !ok {
		return false
	}
	path := fileOf(frame)
	for _, part := range rules.paths {
		if strings.Contains(path, part) || library != "" && strings.Contains(library, part) {
			return true
		}
	}
	name := string(frame.Module)
	if name == "" {
		name = string(frame.Function)
	}
	for _, start := range rules.modules {
		if strings.HasPrefix(name, start) {
			return true
		}
	}
	if path != "" && path == rules.runtimeFile {
		return true
	}
	return rules.namelessIsRuntime && path == "" || rules.unplacedIsRuntime && !strings.ContainsAny(path, `/\`)
}

// librariesOf returns the rules of a platform, except Go and Rust, which have separate files. Windows paths are matched by the
// parts that they share with others.
func librariesOf(platform string) (libraryRules, bool) {
	switch platform {
	case "javascript":
		return libraryRules{paths: scriptLibraries, runtimeFile: "native", namelessIsRuntime: true}, true
	case "node":
		return libraryRules{paths: scriptLibraries, namelessIsRuntime: true, unplacedIsRuntime: true}, true
	case "python":
		return libraryRules{paths: pythonLibraries}, true
	case "java", "android", "kotlin", "scala", "groovy", "clojure":
		return libraryRules{modules: javaLibraries}, true
	case "ruby":
		return libraryRules{paths: rubyLibraries}, true
	case "php":
		return libraryRules{paths: phpLibraries, namelessIsRuntime: true}, true
	case "csharp", "dotnet", "fsharp", "vb":
		return libraryRules{modules: dotnetLibraries}, true
	case "elixir", "erlang":
		return libraryRules{paths: elixirLibraries}, true
	case "cocoa", "objc", "swift", "native", "c":
		return libraryRules{paths: nativeLibraries}, true
	}
	return libraryRules{}, false
}

var (
	scriptLibraries = []string{
		"node_modules/", `node_modules\`, "node:", "internal/", "<anonymous>", "[native code]", "native code",
		"webpack/runtime/", "webpack/bootstrap", "-extension://",
	}
	pythonLibraries = []string{
		"site-packages", "dist-packages", "/lib/python", `\lib\`, `\Lib\`, "<frozen ", "<string>", "<__array_function__",
	}
	javaLibraries = []string{
		"java.", "javax.", "jdk.", "sun.", "com.sun.", "kotlin.", "kotlinx.", "scala.", "groovy.", "clojure.", "akka.",
		"android.", "androidx.", "com.android.", "dalvik.", "com.google.", "jakarta.", "io.netty.", "io.sentry.",
		"io.micronaut.", "io.quarkus.", "io.vertx.", "reactor.", "rx.", "io.reactivex.", "okhttp3.", "okio.", "retrofit2.",
		"org.apache.", "org.eclipse.", "org.hibernate.", "org.jboss.", "org.jetbrains.", "org.junit.", "org.postgresql.",
		"org.springframework.", "org.slf4j.", "org.glassfish.", "org.aspectj.", "org.mybatis.", "org.jooq.", "org.thymeleaf.", "org.xnio.",
		"io.undertow.", "io.grpc.", "io.lettuce.", "feign.", "redis.clients.", "software.amazon.awssdk.",
		"ch.qos.logback.", "com.fasterxml.", "com.mysql.", "com.zaxxer.", "junit.", "net.bytebuddy.",
	}
	rubyLibraries   = []string{"/gems/", "/lib/ruby/", "/rubies/", "/vendor/", "/bin/bundle", "<internal:"}
	phpLibraries    = []string{"/vendor/", `\vendor\`, "[internal"}
	dotnetLibraries = []string{
		"System.", "Microsoft.", "MS.", "Mono.", "FSharp.", "Newtonsoft.", "Npgsql.", "MySql.", "NLog.", "Serilog.",
		"Giraffe.", "Sentry.", "StackExchange.", "Windows.", "Xunit.", "NUnit.",
	}
	elixirLibraries = []string{"deps/", "/elixir/lib/", "lib/elixir/", "(stdlib)", "(elixir)"}
	nativeLibraries = []string{
		"/System/Library/", "/usr/lib/", "/Library/Developer/", "/lib/x86_64-linux-gnu/", "/lib64/", "/apex/com.android.",
		"/system/", `C:\Windows\`, `C:\WINDOWS\`, "linux-vdso", "libdyld", "libdispatch",
	}
)
