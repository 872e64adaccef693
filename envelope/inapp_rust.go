package envelope

import (
	"slices"
	"strings"

	"errand/core"
)

// correctNative corrects the marks of the Rust SDK, whose platform is native, as in the SDKs of some other languages.
func correctNative(frames []core.Frame, sdk string) {
	if sdk == "sentry.rust" || slices.ContainsFunc(frames, isRust) {
		correctRust(frames, sdk)
	}
}

// correctRust removes the application's mark from frames of Rust that are not its code. The Rust SDK marks all frames that it
// does not know, including its own.
func correctRust(frames []core.Frame, _ string) {
	panics := slices.IndexFunc(frames, isPanic) // all frames nearer the crash report the panic
	for i := range frames {
		f := &frames[i]
		f.InApp = f.InApp && i > panics && !isRustLibrary(f)
	}
}

// isRust reports whether only programs in Rust have such a frame.
func isRust(f core.Frame) bool {
	name := nameInRust(&f)
	return strings.HasSuffix(string(f.Filename), ".rs") || strings.HasSuffix(string(f.AbsPath), ".rs") ||
		strings.HasPrefix(name, "core::panicking::") || strings.HasPrefix(name, "std::panicking::") ||
		strings.HasPrefix(name, "std::rt::") || strings.Contains(name, "__rust") || strings.Contains(name, "rust_begin_unwind") ||
		strings.HasSuffix(name, "{{closure}}")
}

// nameInRust returns the function with its module; the Rust SDK has both in one field.
func nameInRust(f *core.Frame) string {
	if f.Module == "" {
		return string(f.Function)
	}
	return string(f.Module) + "::" + string(f.Function)
}

// isPanic reports whether a frame is in the part of the standard library that begins a panic. The code that catches panics is in
// the same module, and at the bottom of most programs.
func isPanic(f core.Frame) bool {
	name := nameInRust(&f)
	if strings.HasPrefix(name, "core::panicking::") || strings.HasPrefix(name, "rust_begin_unwind") {
		return true
	}
	rest, found := strings.CutPrefix(name, "std::panicking::")
	return found && !strings.HasPrefix(rest, "catch_unwind") && !strings.HasPrefix(rest, "try") &&
		!strings.HasPrefix(rest, "r#try") && !strings.HasPrefix(rest, "do_call")
}

// isRustLibrary reports whether a frame belongs to the standard library, to another crate, or to the system's start of the
// program. The file decides; the function does when a program was built without files.
func isRustLibrary(frame *core.Frame) bool {
	name := nameInRust(frame)
	for _, path := range [...]string{string(frame.AbsPath), string(frame.Filename), strings.TrimPrefix(name, "at ")} {
		if isRustLibraryPath(path) {
			return true
		}
	}
	if !strings.Contains(name, "::") {
		return isStartOfProgram(name) || fileOf(frame) == "" && (name == "main" || name == "" || name == "<unknown>")
	}
	root := rootOfRust(name)
	return slices.Contains(rustCrates, root) || strings.HasPrefix(root, "sentry_") || strings.HasPrefix(root, "tracing_") ||
		strings.HasPrefix(root, "futures_")
}

// rustFolders are folders of other code. Cargo and rustup use hidden folders of a user, and other names in container images.
var rustFolders = []string{
	"/.cargo/registry/", "/.cargo/git/", "/cargo/registry/", "/cargo/git/", "/registry/src/", "/rustc/", "/.rustup/",
	"/rustup/toolchains/", "/lib/rustlib/",
}

// isRustLibraryPath reports whether a file lies in one of these folders.
func isRustLibraryPath(path string) bool { return isInFolder(path, rustFolders) }

// isStartOfProgram reports whether a function is the part of the C library that starts a program or a thread, or a wrapper of the
// compiler around a call.
func isStartOfProgram(name string) bool {
	switch name {
	case "_start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main", "start_thread", "clone", "clone3", "__clone",
		"_main", "start", "_pthread_start", "thread_start", "BaseThreadInitThunk", "RtlUserThreadStart", "__scrt_common_main_seh":
		return true
	}
	return strings.HasPrefix(name, "__rust") || strings.HasPrefix(name, "_rust") || strings.HasPrefix(name, "rust_")
}

// rustCrates are the crates whose frames are nearer the crash than the application's when it panics or reports an error.
var rustCrates = []string{
	"std", "core", "alloc", "test", "proc_macro", "backtrace", "anyhow", "eyre", "color_eyre", "thiserror", "sentry", "log",
	"env_logger", "fern", "slog", "tracing", "tokio", "futures", "async_std", "actix", "actix_codec", "actix_cors", "actix_files",
	"actix_http", "actix_multipart", "actix_router", "actix_rt", "actix_server", "actix_service", "actix_tls", "actix_utils",
	"actix_web", "axum", "axum_core", "hyper", "hyper_util", "tower", "tower_service", "tower_http", "rayon", "rayon_core", "crossbeam",
	"mio", "__rustc", "rustc", "addr2line", "gimli", "panic_unwind",
}

// rootOfRust returns the crate of a function: shop of shop::run, of <shop::Cart as core::fmt::Debug>::fmt and of <&mut dyn
// shop::Cart>::run. When the type has no crate (<T as axum::Handler>::call), it returns the trait's.
func rootOfRust(name string) string {
	for _, part := range strings.SplitN(name, " as ", 2) {
		part = strings.TrimPrefix(strings.TrimLeft(part, "<&*([_"), "impl ")
		for _, word := range [...]string{"mut ", "const ", "dyn "} {
			part = strings.TrimLeft(strings.TrimPrefix(part, word), "<&*([")
		}
		if root, _, found := strings.Cut(part, "::"); found && isRustName(root) {
			return root
		}
	}
	return ""
}

func isRustName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r < 0x80
	}) < 0
}
