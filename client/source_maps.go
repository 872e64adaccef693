package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"errand/core"
)

// SourceMapUpload is the upload of a build's source maps from a CI script: `errand sourcemaps upload`.
type SourceMapUpload struct {
	Dir       string `arg:"" help:"Folder of the build, as it is deployed."`
	Project   string `required:"" help:"Public id or slug of the app."`
	Release   string `required:"" help:"The version, as the app's events name it."`
	Dist      string `help:"The build of the release, as the app's events name it; then only its events use the maps."`
	URLPrefix string `name:"url-prefix" default:"~/" help:"Where the folder is on the web, in quotes, such as '~/assets'; ~ is any host."`
	Sources   string `default:"." help:"Folder of the repository, for maps without sourcesContent: their sources are read below it."`
	DryRun    bool   `name:"dry-run" help:"Only list what would be uploaded."`
}

// maxBuildFile is the largest file of a build that is read: a map, or JavaScript that contains its map.
const maxBuildFile = 256 << 20

// emittedMap is the source map of an emitted file.
type emittedMap struct {
	name string // the file's name in the upload
	file string // the place of the map in the folder, which the map's sources are relative to
	text []byte
	kind string // media type of the body, as made by packMap
	body []byte
}

// errNoMap is the reason, in words, why a file has no map.
type errNoMap string

func (e errNoMap) Error() string { return string(e) }

// Send uploads the maps of all files in the folder, and reports on w what it does with each. It fails when a map
// could not be uploaded, or when there is none.
func (u SourceMapUpload) Send(ctx context.Context, c Client, w io.Writer) error {
	if err := c.check(); err != nil && !u.DryRun {
		return err
	}
	u.warnOfHome(w)
	root, err := os.OpenRoot(u.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	files, err := listEmitted(root.FS())
	if err != nil {
		return err
	}
	sources, err := os.OpenRoot(cmp.Or(u.Sources, "."))
	if err != nil {
		return err
	}
	defer sources.Close()
	uploaded, failed := 0, 0
	for i, file := range files {
		progress := fmt.Sprintf("[%d/%d] %s", i+1, len(files), file)
		found, err := u.findMap(root.FS(), file)
		if noMap := errNoMap(""); errors.As(err, &noMap) {
			fmt.Fprintf(w, "%s: skipped: %s\n", progress, noMap)
			continue
		}
		lacking := 0
		if err == nil {
			lacking = u.addSources(&found, sources)
			err = u.sendMap(ctx, c, found, w)
		}
		if isFinal(err) {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err != nil {
			failed++
			fmt.Fprintf(w, "%s: failed: %s\n", progress, err)
			continue
		}
		uploaded++
		fmt.Fprintf(w, "%s: %s as %s (%d KB)\n", progress, u.doneWord(), found.name, (len(found.text)+1023)>>10)
		if lacking > 0 {
			fmt.Fprintf(w, "  %d of its sources have no text (sourcesContent), and are not below %s: events show no lines of them\n",
				lacking, cmp.Or(u.Sources, "."))
		}
	}
	fmt.Fprintf(w, "%d source maps %s for release %s, %d files skipped, %d failed.\n",
		uploaded, u.doneWord(), u.Release, len(files)-uploaded-failed, failed)
	switch {
	case failed > 0:
		return fmt.Errorf("%d source maps were not uploaded", failed)
	case uploaded == 0:
		return fmt.Errorf("no JavaScript file in %s has a source map: does the build make them?", u.Dir)
	}
	return nil
}

// warnOfHome says that a shell may have replaced the ~ of the prefix.
func (u SourceMapUpload) warnOfHome(w io.Writer) {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(u.URLPrefix, home+"/") {
		fmt.Fprintf(w, "--url-prefix is %s: if you wrote ~, put it in quotes, because a shell makes it your home folder\n", u.URLPrefix)
	}
}

// sendMap uploads a map, or only checks it.
func (u SourceMapUpload) sendMap(ctx context.Context, c Client, found emittedMap, w io.Writer) error {
	if err := found.packMap(w); err != nil {
		return err
	}
	if u.DryRun {
		return found.checkMap()
	}
	return c.uploadMap(ctx, u, found, w)
}

func (u SourceMapUpload) doneWord() string {
	if u.DryRun {
		return "found"
	}
	return "uploaded"
}

// isFinal reports whether all other uploads would fail in the same way.
func isFinal(err error) bool {
	var refused *refusedCall
	return errors.Is(err, context.Canceled) || errors.As(err, &refused) && (refused.code == core.StorageNotConfigured ||
		slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}, refused.status))
}
