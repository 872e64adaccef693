package envelope

import "slices"

// NativeFields returns the paths of all fields that the native event has, sorted.
func NativeFields() []string {
	paths := []string{}
	for at, object := range map[string]nativeObject{
		"": nativeEvent, "exception": nativeException, "exception.mechanism": nativeMechanism,
		"exception.stacktrace": nativeStacktrace, "exception.stacktrace.frames": nativeFrame,
		"user": nativeUser, "request": nativeRequest, "breadcrumbs": nativeBreadcrumb, "sdk": nativeSDK,
	} {
		for name := range object.checks {
			if at != "" {
				name = at + "." + name
			}
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	return paths
}
