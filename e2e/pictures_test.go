//go:build e2e

package e2e

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// mostPicture is how many bytes a picture of the documentation may have.
const mostPicture = 80 << 10

// TestPictures makes the pictures of the documentation from the demo project, in the folder that PICTURES names (make pictures).
func TestPictures(t *testing.T) {
	folder := os.Getenv("PICTURES")
	if folder == "" {
		t.Skip("make pictures runs it")
	}
	s := &pagesSite{startServerOn(t, newDir(t), "REQUIRE_APPROVAL=ignore"), &browser{ctx: startChromium(t)}}
	s.addPerson(t, ann, true)
	issues := s.fillDemo(t)
	regressed := issues["regressed"]
	ignore := `{"until": "30d"}`
	require.Equal(t, http.StatusAccepted, s.callAPI(s.makeToken("claude-2"), "POST", "/v1"+issues["unresolved"]+"/ignore", ignore, nil))
	p := s.openAs(t, ann)
	require.NoError(t, chromedp.Do(p.ctx, chromedp.EmulateViewport(1200, 800)))
	for name, path := range map[string]string{
		"issues": "/", "issue": regressed, "issue-agent": regressed + "/agent", "agents": "/agents", "approvals": "/approvals",
		"project-settings": "/projects/demo-shop/settings",
	} {
		p.open(path)
		p.waitFor("true")
		taken, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		require.NoError(t, err)
		small := shrinkPicture(t, taken)
		require.LessOrEqual(t, len(small), mostPicture, name)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+".png"), small, 0o644))
	}
}

// shrinkPicture leaves a picture its 256 most frequent colours. A page has few more.
func shrinkPicture(t *testing.T, taken []byte) []byte {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(taken))
	require.NoError(t, err)
	counts := map[color.Color]int{}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			counts[picture.At(x, y)]++
		}
	}
	var colours color.Palette
	for colour := range counts {
		colours = append(colours, colour)
	}
	slices.SortFunc(colours, func(a, b color.Color) int { return counts[b] - counts[a] })
	small := image.NewPaletted(picture.Bounds(), colours[:min(len(colours), 256)])
	draw.Draw(small, small.Bounds(), picture, image.Point{}, draw.Src)
	var file bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&file, small))
	return file.Bytes()
}
