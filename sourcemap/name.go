package sourcemap

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName bounds the name of a minified file, in bytes.
const maxName = 2000

// fileSchemes are the schemes that load minified files: the web, apps that carry their files, extensions, and files of servers.
var fileSchemes = []string{"http", "https", "app", "file", "capacitor", "ionic", "tauri",
	"chrome-extension", "moz-extension", "safari-web-extension"}

// ResolveName returns the path that identifies a minified file, always with a slash at its start. The name is a URL, ~/path for
// any host, or a path (primary API, Source map upload): https://shop.example/js/app.js?v=2, ~/js/app.js and js/app.js are all
// /js/app.js. The abs_path of a frame resolves in the same way, so the two match.
//
// The error says, for the uploader, why a name is refused: it must be the plain path of a file, as a browser requests it.
func ResolveName(name string) (path string, err error) {
	if name == "" {
		return "", errors.New("name is empty")
	}
	if err := checkNameText(name); err != nil {
		return "", err
	}
	name, _, _ = strings.Cut(name, "#")
	name, _, _ = strings.Cut(name, "?")
	if path, err = cutHost(name); err != nil {
		return "", err
	}
	if path, err = url.PathUnescape(path); err != nil {
		return "", errors.New("name has a % that does not begin an encoded character")
	}
	if err := checkNameText(path); err != nil {
		return "", err
	}
	if strings.ContainsRune(path, '%') {
		if again, err := url.PathUnescape(path); err == nil && again != path {
			return "", errors.New("name is encoded twice")
		}
	}
	return joinSegments(path)
}

// checkNameText refuses characters that no file name needs and that people cannot see. It checks a name before and after
// decoding.
func checkNameText(name string) error {
	switch {
	case len(name) > maxName:
		return errors.New("name is longer than 2000 bytes")
	case !utf8.ValidString(name):
		return errors.New("name is not valid UTF-8")
	case strings.ContainsRune(name, '\\'):
		return errors.New("name has a backslash: write the path with slashes")
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }):
		return errors.New("name has a control character")
	}
	return nil
}

// cutHost returns the path of a name without scheme and host, not yet decoded.
func cutHost(name string) (string, error) {
	if strings.HasPrefix(name, "//") {
		return "", errors.New("name begins with //: write https:// before the host, or ~/ for any host")
	}
	if path, ok := strings.CutPrefix(name, "~/"); ok {
		return path, nil
	}
	scheme, rest, ok := strings.Cut(name, ":")
	if !ok || strings.ContainsRune(scheme, '/') {
		return name, nil
	}
	if rest, ok = strings.CutPrefix(rest, "//"); !ok || !slices.Contains(fileSchemes, strings.ToLower(scheme)) {
		return "", errors.New("name has a scheme that no script is loaded by: use http, https, app or file, ~/path or a path")
	}
	host, path, _ := strings.Cut(rest, "/")
	return path, checkHost(strings.ToLower(scheme), host)
}

func checkHost(scheme, host string) error {
	isWeb := scheme == "http" || scheme == "https"
	switch {
	case strings.ContainsRune(host, '@'):
		return errors.New("name has a user or password before the host")
	case isWeb && host == "":
		return errors.New("name has no host: write ~/ for any host")
	case scheme == "file" && host != "" && host != "localhost":
		return errors.New("name is a file of another machine")
	}
	if u, err := url.Parse("http://" + host); err != nil || u.Host != host {
		return errors.New("name has a broken host")
	}
	return nil
}

// joinSegments normalises a decoded path.
func joinSegments(path string) (string, error) {
	var joined strings.Builder
	for segment := range strings.SplitSeq(path, "/") {
		switch strings.TrimSpace(segment) {
		case "..":
			return "", errors.New("name has a .. in its path: write the path without it")
		case "", ".":
			continue
		}
		joined.WriteString("/" + segment)
	}
	if joined.Len() == 0 || strings.HasSuffix(path, "/") {
		return "", errors.New("name has no file: it ends with a slash or at the host")
	}
	return joined.String(), nil
}
